// Ingresses in an API server that takes merge patches under optimistic locking, with a cache that follows at once, and
// the Events that were written. What anybody wrote can be read by its time.
import type { Ingress, LoadBalancerAddress } from '../../src/api/networking.ts'
import { recordOf } from '../../src/lib/json-record.ts'
import type { ApiReader, ApiWriter, CallOptions } from '../../src/runtime/client.ts'
import { NotLeadingError } from '../../src/runtime/leader-election.ts'
import type { EventHandler, ObjectEvent } from '../../src/runtime/object-event.ts'
import { Store } from '../../src/runtime/store.ts'
import { ingress } from '../builders/ingress.ts'
import type { FakeClock } from './clock.ts'
import { refusal } from './lease-server.ts'

const OBSERVED = 'ramjet.dev/observed-generation'

export interface IngressWrite {
  readonly key: string
  /** The number, or the addresses; `none`: they were cleared. */
  readonly what: string
  readonly atMs: number
}

/** What becomes of the next patch: refused with this status, answered when the test says so, or cut by its term. */
export type NextAnswer = number | Promise<void> | 'hang'

export class WrittenIngresses implements Pick<ApiReader & ApiWriter, 'patch' | 'post'> {
  readonly cache: Store<Ingress> = new Store<Ingress>()
  readonly writes: IngressWrite[] = []
  /** `Warning InvalidHost shop/a`. */
  readonly events: string[] = []
  readonly answers: NextAnswer[] = []
  readonly #clock: FakeClock
  readonly #handlers: EventHandler<Ingress>[] = []
  #version = 100

  constructor(clock: FakeClock, keys: readonly string[]) {
    this.#clock = clock
    for (const key of keys) this.cache.set(this.#versioned(ingress(key).build()))
  }

  /** As the cache of a program has it. */
  get informer(): { readonly lister: Store<Ingress>; addHandler(handler: EventHandler<Ingress>): void } {
    return { lister: this.cache, addHandler: (handler) => void this.#handlers.push(handler) }
  }

  /** `shop/a 7`, in the order in which they were carried out; forgets them. */
  take(): readonly string[] {
    return this.writes.splice(0).map(({ key, what }) => `${key} ${what}`)
  }

  /** Somebody else changes annotations; `undefined` takes one away. */
  annotate(key: string, annotations: Readonly<Record<string, string | undefined>>): void {
    this.#change(key, (before) => withAnnotations(before, annotations))
  }

  /** Somebody else writes addresses. */
  publish(key: string, addresses: readonly LoadBalancerAddress[]): void {
    this.#change(key, (before) => ({ ...before, addresses }))
  }

  /** Somebody else gives it to another class. */
  reclass(key: string, ingressClassName: string): void {
    this.#change(key, (before) => ({ ...before, spec: { ...before.spec, ingressClassName } }))
  }

  delete(key: string): void {
    const object = this.cache.get(key)
    this.cache.delete(key)
    if (object) this.#tell({ type: 'deleted', object })
  }

  async patch(path: string, raw: unknown, { check, signal }: CallOptions): Promise<unknown> {
    check?.()
    await this.#answer(signal)
    const [, namespace = '', name = ''] = /namespaces\/([^/]+)\/ingresses\/([^/]+)/.exec(path) ?? []
    const key = `${namespace}/${name}`
    const before = this.cache.get(key)
    const body = recordOf(raw)
    const metadata = recordOf(body['metadata'])
    if (!before) throw refusal(404)
    if (metadata['resourceVersion'] !== before.metadata.resourceVersion) throw refusal(409)
    const isStatus = path.endsWith('/status')
    const addresses = isStatus ? addressesOf(body) : (before.addresses ?? [])
    const annotations = recordOf(metadata['annotations']) as Record<string, string>
    const what = isStatus ? textOf(addresses) : (annotations[OBSERVED] ?? '?')
    this.writes.push({ key, what, atMs: this.#clock.monotonicMs() })
    const object = this.#change(key, (old) => ({ ...withAnnotations(old, annotations), addresses }))
    const status = { loadBalancer: { ingress: addresses } }
    return { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', ...object, status }
  }

  /** Of an Event. */
  async post(_path: string, raw: unknown, { check }: CallOptions): Promise<unknown> {
    check?.()
    const { type, reason, regarding, metadata } = recordOf(raw)
    const { namespace } = recordOf(metadata)
    this.events.push(`${String(type)} ${String(reason)} ${String(namespace)}/${String(recordOf(regarding)['name'])}`)
    return await Promise.resolve(raw)
  }

  async #answer(signal: AbortSignal): Promise<void> {
    const answer = this.answers.shift()
    if (typeof answer === 'number') throw refusal(answer)
    if (answer === 'hang') {
      await new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new NotLeadingError('cut')))
      })
    }
    await answer
  }

  #change(key: string, change: (before: Ingress) => Ingress): Ingress {
    const before = this.cache.get(key)
    if (!before) throw new Error(`no Ingress ${key}`)
    const object = this.#versioned(change(before))
    this.cache.set(object)
    this.#tell({ type: 'updated', before, object })
    return object
  }

  #versioned(object: Ingress): Ingress {
    this.#version += 1
    return { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#version) } }
  }

  #tell(event: ObjectEvent<Ingress>): void {
    for (const handler of this.#handlers) handler(event, this.#clock.monotonicMs())
  }
}

function withAnnotations(object: Ingress, changes: Readonly<Record<string, string | undefined>>): Ingress {
  const annotations = new Map(Object.entries({ ...object.metadata.annotations, ...changes }))
  const kept = [...annotations].filter((entry): entry is [string, string] => entry[1] !== undefined)
  return { ...object, metadata: { ...object.metadata, annotations: Object.fromEntries(kept) } }
}

function addressesOf(body: Readonly<Record<string, unknown>>): readonly LoadBalancerAddress[] {
  const written = recordOf(recordOf(body['status'])['loadBalancer'])['ingress']
  return Array.isArray(written) ? (written as LoadBalancerAddress[]) : []
}

function textOf(addresses: readonly LoadBalancerAddress[]): string {
  return addresses.length === 0 ? 'none' : addresses.map(({ ip, hostname }) => ip ?? hostname).join(' ')
}
