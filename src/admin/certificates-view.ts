// Certificates and the names that they serve -> the document of GET /admin/certificates (R32-14).
import { type CertificateRecord, stateOfCertificate, timeText } from '../model/certificate-record.ts'
import { DEFAULT_SERVER_NAME, NO_CERTIFICATES } from '../model/certificate-table.ts'
import type { Pair } from '../model/generation.ts'

export interface CertificatesSource {
  /** What is served; `undefined`: nothing yet. */
  readonly pair: Pair | undefined
  /** Each that something names now. */
  readonly records: readonly CertificateRecord[]
  /** Unix milliseconds. */
  readonly nowMs: number
}

/** The document, version 1: soonest expiry first, what has nothing usable at the end. */
export function certificatesView({ pair, records, nowMs }: CertificatesSource): unknown {
  const hosts = hostsByHandle(pair)
  const all = [...records, ...heldByPin(pair, records)]
  const shown = all.toSorted((a, b) => endOf(a) - endOf(b) || compareNames(a, b))
  return { version: 1, certificates: shown.map((record) => recordView(record, hosts, nowMs)) }
}

function recordView(record: CertificateRecord, hosts: ReadonlyMap<string, readonly string[]>, nowMs: number): unknown {
  const { source, namespace, secret, serving } = record
  const { state, reason } = stateOfCertificate(record, nowMs)
  return {
    names: serving?.names ?? [],
    namespace,
    secret,
    source,
    handle: serving?.handle ?? null,
    not_before: serving ? timeText(serving.notBeforeMs) : null,
    not_after: serving ? timeText(serving.notAfterMs) : null,
    hosts: serving ? (hosts.get(serving.handle) ?? []) : [],
    state,
    reason: reason ?? null,
  }
}

/** By handle the names that it serves, the default as `*`. */
function hostsByHandle(pair: Pair | undefined): ReadonlyMap<string, readonly string[]> {
  const { serverNames } = pair?.generation.routes.certificates ?? NO_CERTIFICATES
  const hosts = new Map<string, string[]>()
  for (const { host, certificates } of serverNames.values()) {
    for (const handle of certificates) {
      const names = hosts.get(handle) ?? []
      hosts.set(handle, names)
      names.push(host === DEFAULT_SERVER_NAME ? '*' : host)
    }
  }
  for (const names of hosts.values()) names.sort()
  return hosts
}

/** What serves and nothing names any more, as long as a pin holds it. */
function heldByPin(pair: Pair | undefined, records: readonly CertificateRecord[]): readonly CertificateRecord[] {
  const { certificates } = pair?.generation.routes.certificates ?? NO_CERTIFICATES
  const known = new Set(records.map(({ serving }) => serving?.handle))
  const others = [...certificates.values()].filter(({ handle }) => !known.has(handle))
  return others.map((serving) => ({ source: 'ingress', namespace: '', secret: '', serving, users: [] }))
}

function endOf({ serving }: CertificateRecord): number {
  return serving?.notAfterMs ?? Number.MAX_SAFE_INTEGER
}

function compareNames(a: CertificateRecord, b: CertificateRecord): number {
  const [one, other] = [`${a.namespace}/${a.secret}`, `${b.namespace}/${b.secret}`]
  if (one === other) return 0
  return one < other ? -1 : 1
}
