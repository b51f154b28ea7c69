// TLS entries, Secrets and the TLS of hosts -> the certificate table, of which only that is settled which something
// touched (R21-8 to R21-19, R30-5).
import { DEFAULT_SERVER_NAME, NO_CERTIFICATES } from '../model/certificate-table.ts'
import { ANY_HOST } from '../model/route-table.ts'
import { changeTable, type ElementChanges, type UsedCertificates } from './certificate-changes.ts'
import { changedKeys } from './changed-keys.ts'
import type { Contribution, ContributionChange } from './contribution.ts'
import { type ContributionIndex, changeIndex, type IndexStep } from './contribution-index.ts'
import { changeSet } from './copy-on-change.ts'
import type { Notes } from './finding.ts'
import type { HostChange, HostState } from './host-table.ts'
import { PersistentMap } from './persistent-map.ts'
import { secretFindings } from './secret-findings.ts'
import { type CertificateSources, namesOf } from './server-name.ts'
import { type Now, type SettledNames, Settling } from './settle-names.ts'
import type { ClusterSnapshot, CompileSettings } from './snapshot.ts'
import { secretKeysOf, TlsEntries } from './tls-entries.ts'

export interface CertificateState extends UsedCertificates, SettledNames {
  /** By `namespace/name` of a Secret, those that name it. */
  readonly bySecret: ContributionIndex
  /** `namespace/name` of every Secret that is named, that of the default certificate included. */
  readonly secrets: ReadonlySet<string>
}

/** The certificate table, and which elements of it are others now. */
export interface CertificateStep extends ElementChanges {
  readonly state: CertificateState
  readonly notes: Notes
}

/** What the stages before have changed. */
export interface CertificateInputs {
  readonly names: ServerNames
  readonly hosts: { readonly state: HostState; readonly changes: readonly HostChange[] }
}

export function emptyCertificates(): CertificateState {
  return {
    sources: { secrets: new Map(), defaultSecret: undefined, selfSigned: undefined },
    bySecret: new PersistentMap(),
    byName: new PersistentMap(),
    outcomes: new PersistentMap(),
    inheriting: new Set(),
    secrets: new Set(),
    users: new PersistentMap(),
    table: NO_CERTIFICATES,
  }
}

/** Who has TLS entries for a name, and what touches that. */
export interface ServerNames {
  readonly sources: CertificateSources
  readonly bySecret: IndexStep
  readonly byName: IndexStep
  /** Secrets that are another version now. */
  readonly versions: ReadonlySet<string>
}

/** Indexes the TLS entries by the names that they are for, and by their Secrets. */
export function indexServerNames(
  all: readonly ContributionChange[],
  sources: CertificateSources,
  last: CertificateState,
): ServerNames {
  const changes = all.filter(({ before, after }) => before !== after)
  const bySecret = changeIndex(last.bySecret, changes, secretsOf)
  const versions = changedKeys(last.sources.secrets, sources.secrets)
  const byName = changeIndex(last.byName, [...changes, ...reread(versions, bySecret.index, changes)], (one, when) =>
    one.tls.flatMap((entry) => namesOf(entry, when === 'before' ? last.sources : sources)),
  )
  return { sources, bySecret, byName, versions }
}

/** Settles the names that `inputs` or another version of a Secret touch. */
export function compileCertificates({ names, hosts }: CertificateInputs, last: CertificateState): CertificateStep {
  const { sources, bySecret, byName, versions } = names
  const settling = new Settling(last, { byName: byName.index, tlsOf: tlsIn(hosts.state), sources })
  settling.settle(new Set([...byName.touched, ...touchedHosts(hosts.changes)]))
  const isSameEntries = bySecret.touched.size === 0 && byName.touched.size === 0 && versions.size === 0
  if (isSameEntries && settling.isUnchanged(sources)) {
    return { state: last, set: new Map(), removed: [], notes: settling.notes }
  }
  const notes = new Map(settling.notes)
  const ofSecrets = new TlsEntries(secretKeysOf)
  for (const key of new Set([...bySecret.touched, ...versions])) {
    const claims = ofSecrets.of(key, bySecret.index.get(key) ?? [])
    notes.set(`secret ${key}`, secretFindings(claims, sources.secrets.get(key)))
  }
  const { defaultSecret } = sources
  const isNamed = (key: string): boolean => key === defaultSecret || bySecret.index.get(key) !== undefined
  const named = [...bySecret.touched, ...(defaultSecret === undefined ? [] : [defaultSecret])]
  const { table, users, set, removed } = changeTable(last, settling.changed)
  const state: CertificateState = {
    sources,
    bySecret: bySecret.index,
    byName: byName.index,
    outcomes: last.outcomes.with(settling.changed),
    inheriting: changeSet(last.inheriting, settling.inheriting),
    secrets: changeSet(
      last.secrets,
      named.map((key) => [key, isNamed(key)] as const),
    ),
    users,
    table,
  }
  return { state, set, removed, notes }
}

/** Where a snapshot and the flags say that certificates are. */
export function certificateSources(
  { tlsSecrets }: Pick<ClusterSnapshot, 'tlsSecrets'>,
  { defaultTlsSecret, selfSigned }: Pick<CompileSettings, 'defaultTlsSecret' | 'selfSigned'>,
): CertificateSources {
  return { secrets: tlsSecrets, defaultSecret: defaultTlsSecret, selfSigned }
}

function secretsOf({ tls }: Contribution): readonly string[] {
  return tls.flatMap(secretKeysOf)
}

/** Those that did not change themselves and name a Secret that did: their entries may be for other names now. */
function reread(
  versions: ReadonlySet<string>,
  bySecret: ContributionIndex,
  changes: readonly ContributionChange[],
): readonly ContributionChange[] {
  const changed = new Set(changes.map(({ after }) => after))
  const users = new Set([...versions].flatMap((key) => bySecret.get(key) ?? []))
  return [...users].filter((one) => !changed.has(one)).map((one) => ({ before: one, after: one }))
}

function tlsIn({ outcomes }: HostState): Now['tlsOf'] {
  return (name) => outcomes.get(name === DEFAULT_SERVER_NAME ? ANY_HOST : name)?.tls
}

function touchedHosts(changes: readonly HostChange[]): readonly string[] {
  return changes.flatMap(({ host, before, after }) => {
    if (!before?.tls && !after?.tls) return []
    return [host === ANY_HOST ? DEFAULT_SERVER_NAME : host]
  })
}
