// What the Ingresses that name a Secret for TLS are told about it (R21-10, R21-13, R21-14).
import { type Finding, quote } from './finding.ts'
import type { TlsSecret } from './snapshot.ts'
import type { Claim } from './tls-entries.ts'

/** `claims` are the entries that name it; `secret` is `undefined` where nobody has looked yet: then nothing is said. */
export function secretFindings(claims: readonly Claim[], secret: TlsSecret | undefined): readonly Finding[] {
  return secret ? claims.flatMap((claim) => findingOf(claim, secret)) : []
}

function findingOf({ by, entry }: Claim, { current, lastGood, isOpaque }: TlsSecret): readonly Finding[] {
  const name = `the Secret ${quote(entry.source.kind === 'secret' ? entry.source.name : '')}`
  const about = { object: by.object, field: `${entry.field}.secretName` }
  if (current.ok) {
    const isNameless = entry.hosts === undefined && current.value.names.length === 0
    return [...(isOpaque ? [opaque(about, name)] : []), ...(isNameless ? [nameless({ by, entry }, name)] : [])]
  }
  const found = `${name} ${current.error}`
  if (lastGood) return [{ ...about, reason: 'LastGoodCertificate', found, effect: 'the last good pair serves on' }]
  const effect = 'its names get the default certificate, or are refused where there is none'
  return [{ ...about, reason: 'InvalidCertificate', found, effect }]
}

function opaque(about: Pick<Finding, 'object' | 'field'>, name: string): Finding {
  const found = `${name} is of the type Opaque`
  return { ...about, reason: 'OpaqueTLSSecret', found, effect: 'it is used as one of kubernetes.io/tls is' }
}

function nameless({ by, entry }: Claim, name: string): Finding {
  const found = `it has no hosts, and the certificate of ${name} names none`
  return { reason: 'InvalidTLSEntry', object: by.object, field: entry.field, found, effect: 'the entry is skipped' }
}
