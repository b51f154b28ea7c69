// The composition root: builds every part of `ramjet run`, joins them, and starts and stops them in order.
import { hostname } from 'node:os'
import type { AdminServer } from './admin/api.ts'
import { Readiness } from './admin/readiness.ts'
import { createAdmin } from './app/admin-sources.ts'
import type { AppDeps, AppOptions } from './app/app-options.ts'
import { bannerFacts } from './app/banner-facts.ts'
import { bindAll } from './app/bind.ts'
import { type ClusterParts, createClusterParts } from './app/cluster-parts.ts'
import { createAudit } from './app/create-audit.ts'
import { createLoop } from './app/create-loop.ts'
import { gatherWarnings } from './app/gather-warnings.ts'
import { leaveAndWait } from './app/leave-and-wait.ts'
import { openConfig } from './app/open-config.ts'
import { type ClusterOrigin, type FileSource, openSource, type Source } from './app/open-source.ts'
import { kindsOf, type Parts } from './app/parts.ts'
import { startsWithoutTls, warnOfLateCertificates } from './app/static-tls.ts'
import { diffTables } from './compiler/diff.ts'
import { ownClasses } from './compiler/own-classes.ts'
import type { RouteFile } from './compiler/snapshot.ts'
import type { CompileLoop } from './controllers/compile-loop.ts'
import { ExpiryWatch } from './controllers/expiry-watch.ts'
import type { ServedGeneration } from './controllers/parameters-status.ts'
import { SnapshotStore } from './controllers/snapshot-store.ts'
import { TicketKeys } from './controllers/ticket-keys.ts'
import { WarningLog } from './controllers/warning-log.ts'
import { createDataPlane, type DataPlane } from './dataplane/data-plane.ts'
import type { AuditTrail } from './generations/audit-trail.ts'
import { Publishing } from './generations/publish.ts'
import type { PublishReport } from './generations/publish-report.ts'
import type { OperatorConfig } from './manifests/operator-config.ts'
import type { OperatorConfigWatch } from './manifests/operator-config-watch.ts'
import { countsOf } from './manifests/route-file.ts'
import type { RouteFileWatch } from './manifests/static-routes.ts'
import type { ObjectRef } from './model/object-ref.ts'
import type { BannerFacts } from './observability/banner.ts'
import { ControlPlaneFigures } from './observability/control-plane-figures.ts'
import { CurrentWarnings } from './observability/current-warnings.ts'
import { TrailWatch } from './observability/trail-watch.ts'

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
  readonly #expiry: ExpiryWatch
  readonly #ticketKeys: TicketKeys
  readonly #parts: Parts
  readonly #figures = new ControlPlaneFigures()
  readonly #firstReport = Promise.withResolvers<void>()
  #loop: CompileLoop | undefined
  #watch: RouteFileWatch | undefined
  #config: OperatorConfigWatch | undefined
  #cluster: ClusterParts | undefined
  #served: ServedGeneration | undefined
  #shutdown: Promise<void> | undefined

  constructor(options: AppOptions, deps: AppDeps) {
    const { clock, timers, log, onFatal } = deps
    this.#options = options
    this.#deps = deps
    const timing = { silenceMs: options.tunables.workerAnswerMs }
    const proxyDeps = { clock, timers, log: log.child('proxy'), onFatal, timing }
    this.#dataPlane = createDataPlane(options.settings.dataPlane, proxyDeps)
    const replica = options.env['POD_NAME'] ?? hostname()
    this.#audit = createAudit(options, deps, { replica, cluster: () => this.#cluster })
    this.#publishing = this.#createPublishing()
    this.#snapshots = new SnapshotStore({ servedBackends: () => this.#publishing.servedBackends() })
    this.#readiness = new Readiness({
      workers: () => this.#dataPlane.workers(),
      kinds: () => kindsOf({ cluster: () => this.#cluster }),
    })
    this.#warnings = new CurrentWarnings(clock)
    this.#warningLog = new WarningLog(log.child('compile'))
    this.#trailWatch = this.#createTrailWatch()
    this.#ticketKeys = this.#createTicketKeys()
    this.#expiry = new ExpiryWatch({ clock, timers, onChange: () => this.#updateWarnings() })
    this.#parts = {
      replica,
      dataPlane: this.#dataPlane,
      publishing: this.#publishing,
      audit: this.#audit,
      readiness: this.#readiness,
      warnings: this.#warnings,
      figures: this.#figures,
      expiry: this.#expiry,
      admin: () => this.#admin,
      config: () => this.#config,
      cluster: () => this.#cluster,
    }
    this.#admin = createAdmin({ options, deps, parts: this.#parts })
  }

  /**
   * Reads what there is to serve, binds every listener and serves. Resolves in static mode when the file is served, in
   * cluster mode when the cluster is being read. Throws a `RamjetError` that says what to change.
   */
  async start(): Promise<void> {
    this.#config = await openConfig(this.#options, this.#deps, {
      onConfig: (config) => this.#configured(config),
      onFaults: () => this.#updateWarnings(),
    })
    const source = await openSource(this.#options, this.#deps, (file) => this.#routesRead(file))
    if (source.kind === 'file') this.#open(source)
    await this.#bind(source)
    this.#loop = createLoop({
      options: this.#options,
      deps: this.#deps,
      parts: this.#parts,
      snapshots: this.#snapshots,
      onWarnings: () => this.#updateWarnings(),
    })
    this.#trailWatch.start()
    this.#ticketKeys.start()
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
    await leaveAndWait(this.#cluster?.writer.stop(), shutdownDelayMs, this.#deps.timers)
    await Promise.all([this.#stopControlPlane(), this.#dataPlane.drain({ graceMs: shutdownGraceMs })])
    await this.#admin.close()
  }

  async #stopControlPlane(): Promise<void> {
    this.#trailWatch.stop()
    this.#expiry.stop()
    this.#ticketKeys.stop()
    this.#watch?.stop()
    this.#config?.stop()
    await Promise.all([this.#cluster?.source.stop(), this.#cluster?.replicaWatch?.stop()])
    this.#publishing.stop()
    this.#audit.stop()
    await this.#loop?.stop()
  }

  #open({ file, watch }: FileSource): void {
    this.#watch = watch
    this.#snapshots.setFile(file)
  }

  async #bind(source: Source): Promise<void> {
    const { admin: address, dataPlane } = this.#options.settings
    try {
      await bindAll(this.#dataPlane, this.#admin, { address, withoutTls: startsWithoutTls(source, dataPlane) })
    } catch (error) {
      this.#watch?.stop()
      this.#config?.stop()
      throw error
    }
  }

  #configured({ defaults }: OperatorConfig): void {
    this.#snapshots.setDefaults(defaults)
    this.#loop?.markDirty({ kind: 'all' })
    this.#updateWarnings()
  }

  #routesRead(file: RouteFile): void {
    const isBound = this.#dataPlane.listeners().some(({ secure }) => secure)
    const log = this.#deps.log.child('manifests')
    warnOfLateCertificates(file, this.#options.settings.dataPlane, { isBound, log })
    this.#snapshots.setFile(file)
    this.#loop?.markDirty({ kind: 'all' })
  }

  async #serveFile({ path, file }: FileSource, loop: CompileLoop): Promise<void> {
    loop.start()
    // The ports are known once it serves, and the banner shows them (R20-17).
    await this.#firstReport.promise
    this.#announce({ file: { path, ...countsOf(file) }, cluster: undefined })
  }

  #serveCluster(origin: ClusterOrigin, loop: CompileLoop): void {
    const { ingressClass, controllerName, watchNamespaces: namespaces } = this.#options.settings.kubernetes
    const apiServer = `${origin.access.server.href} (${origin.access.source})`
    this.#announce({ file: undefined, cluster: { ingressClass, controllerName, namespaces, apiServer } })
    this.#cluster = createClusterParts({
      options: this.#options,
      deps: this.#deps,
      origin,
      snapshots: this.#snapshots,
      loop,
      publishing: this.#publishing,
      replica: this.#parts.replica,
      served: () => this.#served,
      ownClasses: () => this.#ownClasses(),
      onWarnings: () => this.#updateWarnings(),
      onTicketKeys: (look) => this.#ticketKeys.found(look),
    })
    this.#cluster.source.start()
    this.#cluster.writer.start()
    this.#cluster.replicaWatch?.start()
  }

  #createPublishing(): Publishing {
    const { clock, timers, log } = this.#deps
    const { settings, tunables } = this.#options
    return new Publishing({
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
      historySize: settings.historySize,
      retryMinMs: tunables.publishRetryMinMs,
      retryMaxMs: tunables.publishRetryMaxMs,
    })
  }

  #createTrailWatch(): TrailWatch {
    return new TrailWatch({
      timers: this.#deps.timers,
      count: () => this.#dataPlane.totals().fields.untrustedForwardedFor,
      onFound: () => this.#updateWarnings(),
    })
  }

  #createTicketKeys(): TicketKeys {
    const { timers, log } = this.#deps
    return new TicketKeys({
      apply: (keys) => this.#dataPlane.setTicketKeys(keys),
      rotateMs: this.#options.tunables.ticketKeyMs,
      timers,
      log: log.child('controllers.tickets'),
    })
  }

  #reported(report: PublishReport): void {
    if (report.kind === 'applied') {
      this.#figures.published(report.what, report.durationMs)
      const { number } = report.pair.generation
      if (number !== this.#served?.number) this.#served = { number, atMs: this.#deps.clock.wallMs() }
      this.#cluster?.writer.published()
    }
    this.#firstReport.resolve()
    this.#admin.changed()
  }

  #updateWarnings(): void {
    const all = gatherWarnings({
      ...this.#parts,
      lastCompiled: () => this.#loop?.last,
      trailWatch: this.#trailWatch,
      proxyProtocol: this.#options.settings.dataPlane.proxyProtocol,
    })
    this.#cluster?.writer.update(all)
    this.#warnings.replace(all)
    this.#warningLog.update(all)
    this.#admin.changed()
  }

  #ownClasses(): readonly ObjectRef[] {
    const last = this.#loop?.last
    return last ? ownClasses(last) : []
  }

  #announce(origin: Pick<BannerFacts, 'file' | 'cluster'>): void {
    const listening = { dataPlane: this.#dataPlane, admin: this.#admin }
    this.#deps.announce(bannerFacts(this.#options, listening, origin))
  }
}
