// The composition root: builds every part of `ramjet run`, joins them, and starts and stops them in order.
import { hostname } from 'node:os'
import { AdminToken, AdminTokenError } from './admin/admin-token.ts'
import { type AdminServer, createAdminServer } from './admin/api.ts'
import type { EffectiveSetting } from './admin/config-view.ts'
import { Readiness } from './admin/readiness.ts'
import { diffTables } from './compiler/diff.ts'
import { ownClasses } from './compiler/own-classes.ts'
import type { RouteFile } from './compiler/snapshot.ts'
import { type ClusterSource, createClusterSource } from './controllers/cluster-source.ts'
import type { ClusterWriter } from './controllers/cluster-writer.ts'
import { CompileLoop } from './controllers/compile-loop.ts'
import { configWarnings } from './controllers/config-warnings.ts'
import { createClusterWriter } from './controllers/create-cluster-writer.ts'
import type { KindStatus } from './controllers/kind-status.ts'
import { lookUpName } from './controllers/look-up-name.ts'
import type { ServedGeneration } from './controllers/parameters-status.ts'
import { ReplicaWatch } from './controllers/replica-watch.ts'
import { adminServiceIn } from './controllers/service-name.ts'
import { SnapshotStore } from './controllers/snapshot-store.ts'
import { DEFAULT_TUNABLES, type Tunables } from './controllers/tunables.ts'
import { WarningLog } from './controllers/warning-log.ts'
import { explainFault } from './dataplane/bind-check.ts'
import { createDataPlane, type DataPlane } from './dataplane/data-plane.ts'
import { AuditTrail } from './generations/audit-trail.ts'
import { Publishing } from './generations/publish.ts'
import type { PublishReport } from './generations/publish-report.ts'
import type { Clock } from './lib/clock.ts'
import { messageOf, RamjetError } from './lib/errors.ts'
import type { Random } from './lib/random.ts'
import type { Timers } from './lib/timers.ts'
import { variablesOf } from './manifests/expand-variables.ts'
import { type ConfigValue, formatConfigFault, type OperatorConfig } from './manifests/operator-config.ts'
import { OperatorConfigWatch } from './manifests/operator-config-watch.ts'
import { countsOf } from './manifests/route-file.ts'
import { RouteFileWatch } from './manifests/static-routes.ts'
import type { ObjectRef } from './model/object-ref.ts'
import type { Replica } from './model/replica.ts'
import type { Warning } from './model/warning.ts'
import type { BannerFacts } from './observability/banner.ts'
import { ControlPlaneFigures } from './observability/control-plane-figures.ts'
import { CurrentWarnings } from './observability/current-warnings.ts'
import type { Logger } from './observability/log.ts'
import { collectFamilies } from './observability/metrics.ts'
import { type Family, metricsText, type TextFormat } from './observability/metrics-text.ts'
import { proxyHeaderWarnings } from './observability/proxy-header-warnings.ts'
import { TrailWatch } from './observability/trail-watch.ts'
import { NO_WRITING } from './observability/writing-figures.ts'
import { explainMatch } from './router/explain.ts'
import type { ClusterAccess } from './runtime/cluster-access.ts'
import { loadClusterAccess } from './runtime/kubeconfig.ts'
import { accountNamespace, SERVICE_ACCOUNT_DIR } from './runtime/service-account.ts'
import { formatListenAddress, formatReachable, type ListenAddress } from './settings/address.ts'
import type { EffectiveFlag } from './settings/effective.ts'
import type { Environment } from './settings/env.ts'
import { ownAddresses } from './settings/own-addresses.ts'
import type { Settings } from './settings/settings.ts'

export interface AppOptions {
  readonly settings: Settings
  /** Every flag with its value and origin, for `/admin/config`. */
  readonly effective: readonly EffectiveFlag[]
  /** Of the build. */
  readonly version: string
  readonly nodeVersion: string
  /** `POD_NAME`, `POD_IP`, `HOST_IP`, and what the way to the cluster reads. */
  readonly env: Environment
  readonly tunables?: Tunables
}

export interface AppDeps {
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly log: Logger
  /** Takes the facts of the banner, once, before anything else is shown (R20-24). */
  readonly announce: (facts: BannerFacts) => void
  /** `process_*` and `nodejs_*` as they are now. */
  readonly processFamilies: () => Promise<readonly Family[]>
  /** The process must end with an error. */
  readonly onFatal: (error: RamjetError) => void
}

/** Listeners cannot be bound; one line of the message for each. */
export class StartError extends RamjetError {
  readonly code = 'RAMJET_START_FAILED'
}

/** Where the routes come from, opened but not read from yet. */
type Source =
  | { readonly kind: 'file'; readonly path: string; readonly file: RouteFile }
  | { readonly kind: 'cluster'; readonly access: ClusterAccess; readonly namespace: string | undefined }

const NOT_BUILT = 'disabled (not in this build)'
/** What somebody might count on; flags, fields and annotations are refused by name where they stand (R20-187). */
const REFUSED = ['TLS', 'HTTP/2', 'snippets']

/** A whole process. Does nothing before `start`. */
export class App {
  readonly #options: AppOptions
  readonly #deps: AppDeps
  readonly #dataPlane: DataPlane
  readonly #audit: AuditTrail
  readonly #publishing: Publishing
  readonly #snapshots: SnapshotStore
  readonly #readiness: Readiness
  readonly #admin: AdminServer
  readonly #warnings: CurrentWarnings
  readonly #warningLog: WarningLog
  readonly #trailWatch: TrailWatch
  readonly #figures = new ControlPlaneFigures()
  readonly #firstReport = Promise.withResolvers<void>()
  #loop: CompileLoop | undefined
  #watch: RouteFileWatch | undefined
  #config: OperatorConfigWatch | undefined
  #cluster: ClusterSource | undefined
  #replicaWatch: ReplicaWatch | undefined
  #writer: ClusterWriter | undefined
  #served: ServedGeneration | undefined
  #shutdown: Promise<void> | undefined

  constructor(options: AppOptions, deps: AppDeps) {
    const { clock, timers, log, onFatal } = deps
    this.#options = options
    this.#deps = deps
    const proxyDeps = { clock, timers, log: log.child('proxy'), onFatal }
    this.#dataPlane = createDataPlane(options.settings.dataPlane, proxyDeps)
    this.#audit = new AuditTrail({
      clock,
      timers,
      log: log.child('audit'),
      replica: this.#replica(),
      webhookUrl: options.settings.auditWebhook,
      userAgent: `ramjet/${options.version}`,
      classEvent: (event) => this.#writer?.classEvent(event),
    })
    this.#publishing = new Publishing({
      apply: (pair, kept) => this.#dataPlane.apply(pair, kept),
      clock,
      timers,
      log: log.child('publish'),
      diff: diffTables,
      recompile: async () => await this.#loop?.compileNow(),
      onReport: (report) => this.#reported(report),
      onAudit: (record) => {
        this.#audit.record(record)
        this.#admin.changed()
      },
      historySize: options.settings.historySize,
    })
    this.#snapshots = new SnapshotStore({ servedBackends: () => this.#publishing.servedBackends() })
    this.#readiness = new Readiness({ workers: () => this.#dataPlane.workers(), kinds: () => this.#kinds() })
    this.#warnings = new CurrentWarnings(clock)
    this.#warningLog = new WarningLog(log.child('compile'))
    this.#trailWatch = new TrailWatch({
      timers,
      count: () => this.#dataPlane.totals().fields.untrustedForwardedFor,
      onFound: () => this.#updateWarnings(),
    })
    this.#admin = this.#createAdmin()
  }

  /**
   * Reads what there is to serve, binds every listener and serves. Resolves in static mode when the file is served, in
   * cluster mode when the cluster is being read. Throws a `RamjetError` that says what to change.
   */
  async start(): Promise<void> {
    await this.#openConfig()
    const source = await this.#openSource()
    await this.#bind()
    this.#loop = this.#createLoop()
    this.#trailWatch.start()
    // Those about the process itself need no compile.
    this.#updateWarnings()
    switch (source.kind) {
      case 'file':
        return await this.#serveFile(source, this.#loop)
      case 'cluster':
        return this.#serveCluster(source, this.#loop)
    }
  }

  /** Reads the operator's configuration again, and in static mode the routes file (R20-176, R42-9). */
  reload(): void {
    void this.#config?.reload()
    void this.#watch?.reload()
  }

  /** Drains and ends everything (R20-166 to R20-169); a second call waits for the first. */
  shutdown(): Promise<void> {
    this.#shutdown ??= this.#drain()
    return this.#shutdown
  }

  async #drain(): Promise<void> {
    const { shutdownDelayMs, shutdownGraceMs } = this.#options.settings
    this.#deps.log.info({ delayMs: shutdownDelayMs, graceMs: shutdownGraceMs }, 'shutting down')
    this.#readiness.startDraining()
    this.#dataPlane.startDraining()
    // The next leader writes while connections here still end (R30-44).
    await this.#writer?.stop()
    await new Promise<void>((resolve) => this.#deps.timers.after(shutdownDelayMs, resolve))
    await Promise.all([this.#stopControlPlane(), this.#dataPlane.drain({ graceMs: shutdownGraceMs })])
    await this.#admin.close()
  }

  async #stopControlPlane(): Promise<void> {
    this.#trailWatch.stop()
    this.#watch?.stop()
    this.#config?.stop()
    await Promise.all([this.#cluster?.stop(), this.#replicaWatch?.stop()])
    this.#publishing.stop()
    this.#audit.stop()
    await this.#loop?.stop()
  }

  /** Reads what `--config` names, now and whenever it changes; what was good last stays (R42-8, R42-9). */
  async #openConfig(): Promise<void> {
    const { settings, env, tunables = DEFAULT_TUNABLES } = this.#options
    if (settings.config === undefined) return
    const { clock, timers } = this.#deps
    const log = this.#deps.log.child('config')
    const take = ({ defaults, overwrites, values }: OperatorConfig): void => {
      for (const overwrite of overwrites) log.info({ ...overwrite }, 'one file overwrites another')
      log.info({ values: values.length }, 'configuration read')
      this.#snapshots.setDefaults(defaults)
      this.#loop?.markDirty({ kind: 'all' })
      this.#updateWarnings()
    }
    this.#config = new OperatorConfigWatch(settings.config, {
      pollMs: tunables.configPollMs,
      lookUp: variablesOf(env),
      clock,
      timers,
      onConfig: take,
      onFaults: (faults) => {
        for (const fault of faults)
          log.error({ fault: formatConfigFault(fault) }, 'configuration refused; the last good one stays')
        this.#updateWarnings()
      },
    })
    take(await this.#config.start())
  }

  async #openSource(): Promise<Source> {
    const { settings, env, tunables = DEFAULT_TUNABLES } = this.#options
    const { clock, log } = this.#deps
    if (settings.staticRoutes !== undefined) return this.#openFile(settings.staticRoutes)
    const deps = { clock, log: log.child('kube'), tokenReadMs: tunables.tokenReadMs }
    const access = await loadClusterAccess({ ...settings.kubernetes, env }, deps)
    const { serviceAccountDir = SERVICE_ACCOUNT_DIR } = settings.kubernetes
    return { kind: 'cluster', access, namespace: await accountNamespace(serviceAccountDir) }
  }

  async #openFile(path: string): Promise<Source> {
    const log = this.#deps.log.child('manifests')
    this.#watch = new RouteFileWatch(path, {
      timers: this.#deps.timers,
      onRoutes: (changed) => {
        log.info({ file: path, routes: changed.routes.length }, 'routes file changed')
        this.#snapshots.setFile(changed)
        this.#loop?.markDirty({ kind: 'all' })
      },
      onFaults: (faults) => {
        for (const fault of faults) log.error({ fault }, 'routes file refused; the last good one serves on')
      },
    })
    const file = await this.#watch.start()
    this.#snapshots.setFile(file)
    return { kind: 'file', path, file }
  }

  /** Tries every listener before it gives up, and tells all faults at once (R20-25). */
  async #bind(): Promise<void> {
    const { admin } = this.#options.settings
    const outcomes = await Promise.allSettled([
      this.#dataPlane.start(),
      admin === undefined
        ? undefined
        : this.#admin.listen(admin).catch((error: unknown) => failedToListen(admin, error)),
    ])
    const faults = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [messageOf(outcome.reason)] : []))
    if (faults.length === 0) return
    this.#watch?.stop()
    this.#config?.stop()
    await Promise.all([this.#dataPlane.stop(), this.#admin.close()])
    throw new StartError(faults.join('\n'))
  }

  #createLoop(): CompileLoop {
    const { clock, timers, log } = this.#deps
    const { settings, env } = this.#options
    const adminPort = this.#admin.address()?.port
    return new CompileLoop({
      snapshot: () => this.#snapshots.snapshot(),
      settings: {
        ...settings.kubernetes,
        ...(adminPort === undefined ? {} : { neverDialled: ownAddresses(adminPort, env) }),
      },
      publish: async (result, receivedAtMs) => {
        const { tables, warnings } = result
        const published = this.#publishing.publish({ tables, warnings, receivedAtMs })
        this.#writer?.compiled(result)
        await published
      },
      settleFirst: async () => await this.#cluster?.wantedAsked(),
      onCompiled: ({ wanted }, durationMs) => {
        this.#figures.compiled(durationMs)
        this.#cluster?.wantNames(wanted.externalNames)
        this.#cluster?.wantObjects(wanted.objects)
        this.#updateWarnings()
      },
      debounceMinMs: settings.debounceMinMs,
      debounceMs: settings.debounceMs,
      clock,
      timers,
      log: log.child('compile'),
    })
  }

  async #serveFile({ path, file }: Extract<Source, { kind: 'file' }>, loop: CompileLoop): Promise<void> {
    loop.start()
    // The ports are known once it serves, and the banner shows them (R20-17).
    await this.#firstReport.promise
    this.#announce({ file: { path, ...countsOf(file) }, cluster: undefined })
  }

  #serveCluster({ access, namespace }: Extract<Source, { kind: 'cluster' }>, loop: CompileLoop): void {
    const { clock, timers, random, log } = this.#deps
    const { settings, version, tunables = DEFAULT_TUNABLES } = this.#options
    const { ingressClass, controllerName, watchNamespaces, watchTimeoutMs, resyncPeriodMs } = settings.kubernetes
    const apiServer = `${access.server.href} (${access.source})`
    this.#announce({
      file: undefined,
      cluster: { ingressClass, controllerName, namespaces: watchNamespaces, apiServer },
    })
    this.#cluster = createClusterSource({
      access,
      settings: {
        watchNamespaces: watchNamespaces ?? [],
        namespaceSelector: settings.kubernetes.namespaceSelector?.requirements,
        watchTimeoutMs,
        resyncPeriodMs,
        userAgent: `ramjet/${version}`,
      },
      tunables,
      snapshots: this.#snapshots,
      loop,
      lookUp: settings.kubernetes.allowExternalName ? lookUpName : undefined,
      ownClasses: () => this.#ownClasses(),
      onStatus: () => this.#updateWarnings(),
      clock,
      timers,
      random,
      log,
    })
    this.#cluster.start()
    this.#writer = this.#createWriter({ access, namespace }, this.#cluster)
    this.#writer.start()
    this.#replicaWatch = this.#createReplicaWatch(access)
    this.#replicaWatch?.start()
  }

  #createWriter(
    { access, namespace }: Pick<Extract<Source, { kind: 'cluster' }>, 'access' | 'namespace'>,
    { caches }: ClusterSource,
  ): ClusterWriter {
    const { settings, env, version, tunables = DEFAULT_TUNABLES } = this.#options
    const { kubernetes, writing } = settings
    return createClusterWriter({
      ...this.#deps,
      access,
      writing,
      identity: { ...kubernetes, namespaceSelector: kubernetes.namespaceSelector?.text },
      podName: this.#replica(),
      env,
      accountNamespace: namespace,
      adminService: settings.adminService,
      caches,
      numbering: this.#publishing,
      served: () => this.#served,
      tunables,
      userAgent: `ramjet/${version}`,
      onWarnings: () => this.#updateWarnings(),
    })
  }

  #createReplicaWatch(access: ClusterAccess): ReplicaWatch | undefined {
    const { clock, timers, random, log } = this.#deps
    const { settings, env, version, tunables = DEFAULT_TUNABLES } = this.#options
    const service = settings.adminService ?? adminServiceIn(env['POD_NAMESPACE'])
    if (service === undefined || settings.admin === undefined) return undefined
    const self = { name: this.#replica(), ip: env['POD_IP'] }
    const userAgent = `ramjet/${version}`
    return new ReplicaWatch({ access, service, self, tunables, userAgent, clock, timers, random, log })
  }

  #reported(report: PublishReport): void {
    if (report.kind === 'applied') {
      this.#figures.published(report.what, report.durationMs)
      const { number } = report.pair.generation
      if (number !== this.#served?.number) this.#served = { number, atMs: this.#deps.clock.wallMs() }
      this.#writer?.published()
    }
    this.#firstReport.resolve()
    this.#admin.changed()
  }

  #updateWarnings(): void {
    const all = [
      ...(this.#loop?.last?.warnings ?? []),
      ...(this.#cluster?.warnings() ?? []),
      ...this.#trailWatch.warnings(),
      ...proxyHeaderWarnings(this.#options.settings.dataPlane.proxyProtocol),
      ...this.#configWarnings(),
      ...(this.#writer?.warnings() ?? []),
    ]
    this.#writer?.update(all)
    this.#warnings.replace(all)
    this.#warningLog.update(all)
    this.#admin.changed()
  }

  #configWarnings(): readonly Warning[] {
    return configWarnings(this.#config?.status().faults ?? [], this.#ownClasses())
  }

  #ownClasses(): readonly ObjectRef[] {
    const last = this.#loop?.last
    return last ? ownClasses(last) : []
  }

  #replica(): string {
    return this.#options.env['POD_NAME'] ?? hostname()
  }

  #kinds(): readonly KindStatus[] {
    return this.#cluster?.kinds() ?? []
  }

  #createAdmin(): AdminServer {
    const { timers } = this.#deps
    const { adminProtect, adminTokenFile } = this.#options.settings
    const adminLog = this.#deps.log.child('admin')
    const token = adminTokenFile === undefined ? undefined : new AdminToken(adminTokenFile, adminLog)
    return createAdminServer(
      {
        healthy: () => this.#dataPlane.healthy(),
        readiness: () => this.#readiness.report(),
        workers: () => this.#dataPlane.workers(),
        kinds: () => this.#kinds(),
        metrics: (format) => this.#metrics(format),
        routes: () => ({
          pair: this.#publishing.current(),
          replica: this.#replica(),
          totalsOf: (routeId) => this.#dataPlane.routeTotals(routeId),
        }),
        warnings: () => this.#warnings.all(),
        generations: () => ({
          pair: this.#publishing.current(),
          pinned: this.#publishing.pinned()?.number,
          history: this.#publishing.history(),
        }),
        pin: (name) => this.#publishing.pin(name),
        release: () => this.#publishing.release(),
        backends: () => ({
          pair: this.#publishing.current(),
          totalsOf: (address) => this.#dataPlane.endpointTotals(address),
          isHealthy: (backend, address) => this.#dataPlane.isHealthy(backend, address),
        }),
        match: () => ({
          pair: this.#publishing.current(),
          explain: ({ generation }, host, path) => explainMatch(generation.routes, host, path),
        }),
        settings: () => [...this.#options.effective, ...configSettings(this.#config?.effectiveConfig() ?? [])],
        replicas: () => this.#replicas(),
      },
      { guard: { protect: adminProtect, token }, timers, log: adminLog },
    )
  }

  /** Those of the admin Service; this one alone where they are not known (R32-40). */
  #replicas(): readonly Replica[] {
    const known = this.#replicaWatch?.replicas() ?? []
    if (known.some(({ self }) => self)) return known
    const address = this.#admin.address()
    if (!address) return known
    const self = { name: this.#replica(), address: formatReachable(address), self: true }
    return [{ ...self, ready: this.#readiness.report().isReady }, ...known]
  }

  async #metrics(format: TextFormat): Promise<string> {
    const pair = this.#publishing.current()
    const families = collectFamilies({
      totals: () => this.#dataPlane.totals(),
      workerRestarts: () => this.#dataPlane.workerRestarts(),
      loopDelays: () => this.#dataPlane.takeLoopDelays(),
      warnings: () => this.#warnings.countsByReason(),
      config: () => this.#config?.status(),
      kinds: () => this.#kinds(),
      writing: () => this.#writer?.figures() ?? NO_WRITING,
      adminFailures: () => this.#admin.failures(),
      publishing: () => ({
        generation: pair?.generation.number ?? 0,
        endpointsVersion: pair?.endpoints.version ?? 0,
        failures: this.#publishing.failures(),
        isPinned: this.#publishing.pinned() !== undefined,
        webhookFailures: this.#audit.webhookFailures,
        ...this.#figures.totals(),
      }),
    })
    return metricsText([...families, ...(await this.#deps.processFamilies())], format)
  }

  #announce(origin: Pick<BannerFacts, 'file' | 'cluster'>): void {
    const { settings, version, nodeVersion } = this.#options
    const admin = this.#admin.address()
    this.#deps.announce({
      ...origin,
      version,
      nodeVersion,
      mode: origin.file === undefined ? 'cluster' : 'static',
      engine: settings.dataPlane.engine,
      transport: this.#dataPlane.transport(),
      workers: settings.dataPlane.workers,
      http: this.#dataPlane.listeners().map(formatListenAddress),
      https: NOT_BUILT,
      http3: NOT_BUILT,
      admin: admin && formatReachable(admin),
      refused: settings.kubernetes.allowExternalName ? REFUSED : [...REFUSED, 'ExternalName (--allow-external-name)'],
    })
  }
}

function configSettings(values: readonly ConfigValue[]): readonly EffectiveSetting[] {
  return values.map(({ field, value, file, line }) => ({
    name: field,
    value: typeof value === 'string' ? value : JSON.stringify(value),
    origin: 'file',
    place: `${file}:${line}`,
  }))
}

function failedToListen(address: ListenAddress, error: unknown): never {
  if (error instanceof AdminTokenError) throw error
  const errno = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
  const fault = { address: formatListenAddress(address), port: address.port, errno, cause: messageOf(error) }
  throw new StartError(explainFault(fault, { uid: process.getuid?.(), maxOpenFiles: undefined }))
}
