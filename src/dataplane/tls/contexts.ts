// The secure contexts of one worker: one for each set of certificates and suites, kept over every publish (R21-17).
import { createSecureContext, type SecureContext } from 'node:tls'
import { messageOf } from '../../lib/errors.ts'
import type { Steps } from '../../lib/steps.ts'
import type { CertificateTable, ServerName } from '../../model/certificate-table.ts'
import type { WorkerCounters } from '../engine.ts'
import { runInSlices } from '../slices.ts'
import { suitesOf } from './suites.ts'

/** Chains and keys of a server name, one of each key type, side by side. */
export interface Material {
  readonly cert: string[]
  readonly key: string[]
}

export interface ContextsDeps {
  readonly counters: Pick<WorkerCounters, 'addProcess'>
  readonly monotonicMs: () => number
  /** Gives the event loop a turn; resolves in the next one. */
  readonly nextTurn: () => Promise<void>
}

/** After so long what is left is made at its first handshake: a publish waits for an answer (R30-10). */
const PREPARE_MS = 3000
/** No client has to prove itself to these: an empty list keeps Node from loading the authorities of the world. */
const NO_AUTHORITIES: string[] = []

export class Contexts {
  readonly #deps: ContextsDeps
  readonly #contexts = new Map<string, SecureContext>()

  constructor(deps: ContextsDeps) {
    this.#deps = deps
  }

  get size(): number {
    return this.#contexts.size
  }

  /** The context of a name of `table`; made now where this is its first handshake. Throws where it cannot be. */
  of(table: CertificateTable, name: ServerName): SecureContext {
    const key = contextKey(name)
    const known = this.#contexts.get(key)
    if (known) return known
    const { cert, key: keys } = materialOf(table, name)
    const context = createSecureContext({
      cert,
      key: keys,
      ca: NO_AUTHORITIES,
      ciphers: suitesOf(name.policy.ciphers),
      minVersion: 'TLSv1.2',
    })
    this.#contexts.set(key, context)
    this.#deps.counters.addProcess('tlsContextsBuilt', 1)
    return context
  }

  /** Whether `prepare` would have something to do. */
  lacks(names: readonly ServerName[]): boolean {
    return names.some((name) => name.certificates.length > 0 && !this.#contexts.has(contextKey(name)))
  }

  /**
   * Makes the contexts of `names`, of `table`, in slices between which requests are served (R21-17, R21-18). The result
   * says what is wrong with the first that cannot be made; `undefined`: nothing. Never a word of a key.
   */
  prepare(table: CertificateTable, names: readonly ServerName[]): Promise<string | undefined> {
    const { monotonicMs, nextTurn } = this.#deps
    return runInSlices(this.#making(table, names), { clock: { monotonicMs }, turn: nextTurn })
  }

  /** Forgets the contexts that none of `names` has. */
  retain(names: Iterable<ServerName>): void {
    const wanted = new Set<string>()
    for (const name of names) wanted.add(contextKey(name))
    for (const key of this.#contexts.keys()) if (!wanted.has(key)) this.#contexts.delete(key)
  }

  *#making(table: CertificateTable, names: readonly ServerName[]): Steps<string | undefined> {
    const { monotonicMs } = this.#deps
    const endMs = monotonicMs() + PREPARE_MS
    for (const name of names) {
      if (!this.lacks([name])) continue
      const fault = this.#tryOf(table, name)
      if (fault !== undefined) return fault
      if (monotonicMs() >= endMs) return undefined
      yield
    }
    return undefined
  }

  #tryOf(table: CertificateTable, name: ServerName): string | undefined {
    try {
      this.of(table, name)
      return undefined
    } catch (thrown) {
      return `no TLS context for ${name.host === '' ? 'the default certificate' : name.host}: ${messageOf(thrown)}`
    }
  }
}

/** Equal for names whose handshakes can share a context. */
export function contextKey({ certificates, policy }: ServerName): string {
  return `${certificates.join(' ')} ${policy.ciphers ?? ''}`
}

/** What the certificates of a name are made of. Throws where the table lacks one. */
export function materialOf({ certificates }: CertificateTable, { certificates: handles }: ServerName): Material {
  const found = handles.map((handle) => {
    const certificate = certificates.get(handle)
    if (!certificate) throw new TypeError('a server name has a certificate that its table lacks')
    return certificate
  })
  return { cert: found.map(({ chain }) => chain), key: found.map(({ key }) => key) }
}
