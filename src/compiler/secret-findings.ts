// What the Ingresses that name a Secret for TLS are told about it (R21-10, R21-13, R21-14).
import type { Contribution, TlsEntry } from './contribution.ts'
import { type Finding, quote } from './finding.ts'
import type { TlsSecret } from './snapshot.ts'

type OfSecret = TlsEntry & { readonly source: { readonly kind: 'secret' } }

/** `secret` is `undefined` where nobody has looked yet: then nothing is said. */
export function secretFindings(
  key: string,
  users: readonly Contribution[],
  secret: TlsSecret | undefined,
): readonly Finding[] {
  if (!secret) return []
  return users.flatMap(({ object, tls }) =>
    tls.filter((entry) => isOf(entry, key)).flatMap((entry) => findingOf(object, entry, secret)),
  )
}

function isOf(entry: TlsEntry, key: string): entry is OfSecret {
  return entry.source.kind === 'secret' && entry.source.key === key
}

function findingOf(object: Contribution['object'], entry: OfSecret, secret: TlsSecret): readonly Finding[] {
  const name = `the Secret ${quote(entry.source.name)}`
  const about = { object, field: `${entry.field}.secretName` }
  const { current, lastGood, isOpaque } = secret
  if (current.ok) {
    if (!isOpaque) return []
    const found = `${name} is of the type Opaque`
    return [{ ...about, reason: 'OpaqueTLSSecret', found, effect: 'it is used as one of kubernetes.io/tls is' }]
  }
  const found = `${name} ${current.error}`
  if (lastGood) return [{ ...about, reason: 'LastGoodCertificate', found, effect: 'the last good pair serves on' }]
  const effect = 'its names get the default certificate, or are refused where there is none'
  return [{ ...about, reason: 'InvalidCertificate', found, effect }]
}
