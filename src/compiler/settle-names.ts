// Which server names are settled, in which order, and with what.
import { wildcardOver } from '../lib/host-name.ts'
import { type Certificate, DEFAULT_SERVER_NAME } from '../model/certificate-table.ts'
import type { ContributionIndex } from './contribution-index.ts'
import type { Finding } from './finding.ts'
import type { HostTls } from './host-tls.ts'
import type { PersistentMap } from './persistent-map.ts'
import { type CertificateSources, type NameOutcome, namesOf, settleServerName, usableOf } from './server-name.ts'
import { TlsEntries } from './tls-entries.ts'

/** What became of all names, and what they were settled with. */
export interface SettledNames {
  readonly sources: CertificateSources
  /** By server name, those that have an entry for it. */
  readonly byName: ContributionIndex
  readonly outcomes: PersistentMap<NameOutcome>
  /** Names that no entry has, and to whose handshakes annotations say something: they get what a wildcard gets. */
  readonly inheriting: ReadonlySet<string>
}

/** What names are settled with. */
export interface Now extends Pick<SettledNames, 'byName' | 'sources'> {
  /** What annotations say about the handshakes for a server name. */
  readonly tlsOf: (name: string) => HostTls | undefined
}

/** The settling of names one after the other, those that others are settled with first. */
export class Settling {
  readonly changed: Map<string, NameOutcome | undefined> = new Map()
  /** Whether a name inherits, of those that were settled. */
  readonly inheriting: Map<string, boolean> = new Map()
  readonly notes: Map<string, readonly Finding[]> = new Map()
  readonly #last: SettledNames
  readonly #now: Now
  readonly #entries: TlsEntries
  #standIns: readonly Certificate[] = []

  constructor(last: SettledNames, now: Now) {
    this.#last = last
    this.#now = now
    this.#entries = new TlsEntries((entry) => namesOf(entry, now.sources))
  }

  /** Settles the names of `touched`, and those that depend on the default or on a wildcard that is another now. */
  settle(touched: ReadonlySet<string>): void {
    this.#settleOne(DEFAULT_SERVER_NAME, defaultOf(this.#now.sources))
    this.#standIns = this.#outcomeOf(DEFAULT_SERVER_NAME)?.certificates ?? []
    const dependent = this.#isOtherDefault() ? [...this.#last.outcomes.entries()].filter(isDependent) : []
    const names = new Set([...touched, ...dependent.map(([name]) => name)])
    names.delete(DEFAULT_SERVER_NAME)
    for (const name of names) this.inheriting.set(name, this.#inherits(name))
    for (const name of names) if (this.inheriting.get(name) === false) this.#settleOne(name, this.#standIns)
    // Wildcards first, whatever the order of names: others get what they came out as.
    const heirs = this.#heirs(names)
    for (const name of heirs) if (isWildcard(name)) this.#settleOne(name, this.#standIns)
    for (const name of heirs) if (!isWildcard(name)) this.#settleHeir(name)
  }

  /** Whether every name came out as it was, settled with the same. */
  isUnchanged({ defaultSecret, selfSigned }: CertificateSources): boolean {
    const { sources, outcomes, inheriting } = this.#last
    const isSameFlags = defaultSecret === sources.defaultSecret && selfSigned === sources.selfSigned
    // A name under a wildcard that passes through inherits, and comes out as nothing.
    const areSameHeirs = [...this.inheriting].every(([name, is]) => inheriting.has(name) === is)
    return isSameFlags && areSameHeirs && [...this.changed].every(([name, outcome]) => outcomes.get(name) === outcome)
  }

  #heirs(names: ReadonlySet<string>): ReadonlySet<string> {
    const others = [...this.#last.inheriting].filter((name) => names.has(wildcardOver(name)) && !names.has(name))
    return new Set([...[...names].filter((name) => this.inheriting.get(name) === true), ...others])
  }

  #settleOne(host: string, standIns: readonly Certificate[]): void {
    const { byName, sources, tlsOf } = this.#now
    const claims = this.#entries.of(host, byName.get(host) ?? [])
    const { outcome, findings } = settleServerName({ host, claims, tls: tlsOf(host), standIns }, sources)
    this.notes.set(`server name ${host}`, findings)
    this.changed.set(host, outcome && keepUnchanged(this.#last.outcomes.get(host), outcome))
  }

  #inherits(name: string): boolean {
    const { byName, tlsOf } = this.#now
    const tls = tlsOf(name)
    return tls !== undefined && !tls.passthrough && byName.get(name) === undefined
  }

  #settleHeir(name: string): void {
    const wildcard = this.#outcomeOf(wildcardOver(name))
    if (wildcard?.serverName.passthrough === undefined) {
      this.#settleOne(name, wildcard?.certificates ?? this.#standIns)
      return
    }
    // It passes through with its wildcard: by an outcome of its own it would be refused.
    this.notes.set(`server name ${name}`, [])
    this.changed.set(name, undefined)
  }

  #outcomeOf(name: string): NameOutcome | undefined {
    return this.changed.has(name) ? this.changed.get(name) : this.#last.outcomes.get(name)
  }

  #isOtherDefault(): boolean {
    const before = this.#last.outcomes.get(DEFAULT_SERVER_NAME)?.certificates ?? []
    return (
      before.length !== this.#standIns.length || before.some((one, at) => one.handle !== this.#standIns[at]?.handle)
    )
  }
}

function isWildcard(name: string): boolean {
  return name.startsWith('*')
}

function isDependent([, { usesDefault }]: readonly [string, NameOutcome]): boolean {
  return usesDefault
}

/** R21-9: of the flags. A routes file may have one as well, which goes before. */
function defaultOf({ secrets, defaultSecret, selfSigned }: CertificateSources): readonly Certificate[] {
  const certificate = defaultSecret === undefined ? undefined : usableOf(secrets.get(defaultSecret))
  const chosen = certificate ?? selfSigned
  return chosen ? [chosen] : []
}

function keepUnchanged(before: NameOutcome | undefined, after: NameOutcome): NameOutcome {
  if (before?.serverName.digest !== after.serverName.digest) return after
  return before.usesDefault === after.usesDefault ? before : { ...after, serverName: before.serverName }
}
