// Who claims a server name -> which certificates it gets, by which policy (R21-8 to R21-14, R21-30).
import {
  type Certificate,
  DEFAULT_SERVER_NAME,
  digestOfServerName,
  type ServerName,
} from '../model/certificate-table.ts'
import { nameOf } from './conflicts.ts'
import type { TlsEntry } from './contribution.ts'
import { type Finding, quote } from './finding.ts'
import type { HostTls } from './host-tls.ts'
import type { TlsSecret } from './snapshot.ts'
import type { Claim } from './tls-entries.ts'

/** Where certificates come from. */
export interface CertificateSources {
  /** By `namespace/name`. */
  readonly secrets: ReadonlyMap<string, TlsSecret>
  /** `--default-tls-secret` as a key of `secrets`. */
  readonly defaultSecret: string | undefined
  /** `--self-signed-default`: where nothing else is the default. */
  readonly selfSigned: Certificate | undefined
}

/** A server name, and what it came from. */
export interface NameOutcome {
  readonly serverName: ServerName
  /** Those that it names. */
  readonly certificates: readonly Certificate[]
  /** Whether the default certificate stands in for one that it lacks. */
  readonly usesDefault: boolean
}

export interface SettledName {
  readonly outcome: NameOutcome | undefined
  readonly findings: readonly Finding[]
}

/** What a name is settled with. */
export interface NameQuestion {
  readonly host: string
  /** The entries for it, in order of age. */
  readonly claims: readonly Claim[]
  readonly tls: HostTls | undefined
  /** What the name gets where nobody has a certificate for it. */
  readonly standIns: readonly Certificate[]
}

/** Settles one name; no outcome: nobody asks for it, and it gets what other names get. */
export function settleServerName(question: NameQuestion, sources: CertificateSources): SettledName {
  const { host, claims, tls, standIns } = question
  if (tls?.passthrough) return passedThrough(host, tls.passthrough, claims)
  const isDefault = host === DEFAULT_SERVER_NAME
  if (claims.length === 0 && !tls && !(isDefault && standIns.length > 0)) return { outcome: undefined, findings: [] }
  const { accepted, findings } = settleClaims(host, claims, sources)
  const certificates = accepted.length > 0 ? accepted : standIns
  const content = { host, certificates: certificates.map(({ handle }) => handle), policy: tls?.policy ?? {} }
  const serverName = { ...content, digest: digestOfServerName(content) }
  return { outcome: { serverName, certificates, usesDefault: accepted.length === 0 }, findings }
}

/** The certificate of a Secret that serves; `undefined`: none can. */
export function usableOf(secret: TlsSecret | undefined): Certificate | undefined {
  return secret?.current.ok ? secret.current.value : secret?.lastGood
}

/** The names that an entry is for: its hosts, or those of its certificate (R21-11). */
export function namesOf({ hosts, source }: TlsEntry, sources: CertificateSources): readonly string[] {
  return hosts ?? certificateOf(source, sources)?.names ?? []
}

function certificateOf(source: TlsEntry['source'], { secrets }: CertificateSources): Certificate | undefined {
  switch (source.kind) {
    case 'secret':
      return usableOf(secrets.get(source.key))
    case 'pair':
      return source.certificate
    case 'default':
      return undefined
  }
}

// Whoever came first has the name, also while its Secret is of no use: another's certificate never takes its place.
function settleClaims(
  host: string,
  claims: readonly Claim[],
  sources: CertificateSources,
): { readonly accepted: readonly Certificate[]; readonly findings: readonly Finding[] } {
  const accepted: Certificate[] = []
  const findings: Finding[] = []
  const [holder] = claims
  if (!holder) return { accepted, findings }
  for (const claim of claims) {
    const certificate = certificateOf(claim.entry.source, sources)
    if (certificate && accepted.some(({ handle }) => handle === certificate.handle)) continue
    if (certificate && complements(certificate, accepted, claim, holder)) accepted.push(certificate)
    else if (isBeaten(claim, holder, certificate)) findings.push(conflict(host, claim, holder))
  }
  return { accepted, findings }
}

/** R21-12: one certificate for each type of key, all of one namespace; a holder that asks for the default has that. */
function complements(
  { keyType }: Certificate,
  accepted: readonly Certificate[],
  { by }: Claim,
  holder: Claim,
): boolean {
  const isOneHome = by.source === holder.by.source && by.object.namespace === holder.by.object.namespace
  return isOneHome && holder.entry.source.kind !== 'default' && accepted.every((other) => other.keyType !== keyType)
}

/** Whether an entry gets something else than it asks for; a Secret that is of no use is told of as such. */
function isBeaten({ entry }: Claim, holder: Claim, certificate: Certificate | undefined): boolean {
  if (entry.source.kind === 'default') return holder.entry.source.kind !== 'default'
  return certificate !== undefined
}

function passedThrough(
  host: string,
  { backend, by }: NonNullable<HostTls['passthrough']>,
  claims: readonly Claim[],
): SettledName {
  const content = { host, certificates: [], policy: {}, passthrough: backend }
  const serverName = { ...content, digest: digestOfServerName(content) }
  const others = claims.filter((claim) => claim.by !== by)
  const found = `the TLS of ${quote(host)} is passed through by ${nameOf(by.object)}`
  return {
    outcome: { serverName, certificates: [], usesDefault: false },
    findings: others.map((claim) => lost(claim, found)),
  }
}

function conflict(host: string, loser: Claim, holder: Claim): Finding {
  const name = holder.by === loser.by ? 'an earlier entry of the same object' : nameOf(holder.by.object)
  return lost(loser, `the certificate for ${quote(host)} is that of ${name}`)
}

function lost({ by, entry }: Claim, found: string): Finding {
  const field = `${entry.field}.hosts`
  return { reason: 'TLSHostConflict', object: by.object, field, found, effect: 'the holder serves that name' }
}
