// The compile loop, joined to what it reads and to whom its results go.
import { areSameCertificates, certificateRecords } from '../compiler/certificate-records.ts'
import type { CompileResult } from '../compiler/result.ts'
import { CompileLoop } from '../controllers/compile-loop.ts'
import { DefaultCertificateLog } from '../controllers/default-certificate-log.ts'
import type { ExpiryWatch } from '../controllers/expiry-watch.ts'
import { makeSelfSigned } from '../controllers/self-signed.ts'
import type { SnapshotStore } from '../controllers/snapshot-store.ts'
import { keyOf } from '../model/object-ref.ts'
import type { Logger } from '../observability/log.ts'
import { ownAddresses } from '../settings/own-addresses.ts'
import type { AppDeps, AppOptions } from './app-options.ts'
import type { Parts } from './parts.ts'

export interface LoopDeps {
  readonly options: AppOptions
  readonly deps: AppDeps
  readonly parts: Parts
  readonly snapshots: SnapshotStore
  /** Called after each compile: its warnings may be others. */
  readonly onWarnings: () => void
}

/** The loop, once the admin listener is bound: nothing may route to its address. It does nothing before `start`. */
export function createLoop({ options, deps, parts, snapshots, onWarnings }: LoopDeps): CompileLoop {
  const { settings, env } = options
  const { publishing, figures, cluster, admin, expiry } = parts
  const tellOfCertificates = certificateTeller(expiry, deps.log.child('controllers.tls'))
  const { defaultTlsSecret, selfSignedDefault } = settings.certificates
  const adminPort = admin().address()?.port
  return new CompileLoop({
    snapshot: () => snapshots.snapshot(),
    settings: {
      ...settings.kubernetes,
      ...(adminPort === undefined ? {} : { neverDialled: ownAddresses(adminPort, env) }),
      defaultTlsSecret: defaultTlsSecret && keyOf(defaultTlsSecret),
      selfSigned: selfSignedDefault ? makeSelfSigned(deps.clock.wallMs()) : undefined,
    },
    publish: async (result, receivedAtMs) => {
      const { tables, warnings } = result
      const published = publishing.publish({ tables, warnings, receivedAtMs })
      cluster()?.writer.compiled(result)
      await published
    },
    settleFirst: async () => await cluster()?.source.wantedAsked(),
    onCompiled: (result, durationMs) => {
      const { wanted } = result
      tellOfCertificates(result)
      figures.compiled(durationMs)
      cluster()?.source.wantNames(wanted.externalNames)
      cluster()?.source.wantObjects(wanted)
      onWarnings()
    },
    debounceMinMs: settings.debounceMinMs,
    debounceMs: settings.debounceMs,
    clock: deps.clock,
    timers: deps.timers,
    log: deps.log.child('compile'),
  })
}

/** Tells of the certificates of a compile, unless they are those of the one before. */
function certificateTeller(expiry: ExpiryWatch, log: Logger): (result: CompileResult) => void {
  const defaultCertificate = new DefaultCertificateLog(log)
  let last: CompileResult | undefined
  return (result) => {
    if (!areSameCertificates(last, result)) {
      const records = certificateRecords(result)
      expiry.update(records)
      defaultCertificate.update(records)
    }
    last = result
  }
}
