// One Lease of coordination.k8s.io/v1, read and written by name.
import { type JsonRecord, recordOf } from '../lib/json-record.ts'
import { ApiStatusError } from './api-errors.ts'
import type { ApiReader, ApiWriter } from './client.ts'
import { microTime } from './micro-time.ts'
import { collectionPath, type Resource } from './resource.ts'
import { metadataOf, versionOf } from './watch-event.ts'

export const LEASES: Resource = {
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  kind: 'Lease',
  namespaced: true,
}

/** What is read of a Lease. Times that it holds are other clocks' and never looked at (R70-88). */
export interface LeaseRecord {
  readonly version: string
  /** `undefined`: it was given back, and whoever comes first may have it. */
  readonly holder: string | undefined
  /** For how long its holder may count on it; `undefined`: it does not say. */
  readonly durationMs: number | undefined
  /** How often it has changed hands. */
  readonly transitions: number
  readonly annotations: ReadonlyMap<string, string>
  /** The whole object, to be written back with what others put into it. */
  readonly raw: JsonRecord
}

/** What is written into a Lease; everything else of it stays. */
export interface LeaseFields {
  /** `undefined`: nobody holds it any more. */
  readonly holder: string | undefined
  readonly durationMs: number
  readonly transitions: number
  /** Set where the holder is another one than before; `undefined` leaves what is there. */
  readonly acquiredAtWallMs: number | undefined
  readonly renewedAtWallMs: number
  readonly annotations: ReadonlyMap<string, string>
}

export interface LeasePlace {
  readonly namespace: string
  readonly name: string
}

/** The Lease that `raw` is, as far as it can be read: one that somebody broke has no holder and no duration. */
export function readLease(raw: unknown): LeaseRecord {
  const object = recordOf(raw)
  const spec = recordOf(object['spec'])
  const { holderIdentity: holder, leaseDurationSeconds: seconds, leaseTransitions: transitions } = spec
  const annotations = Object.entries(recordOf(metadataOf(object)['annotations']))
  return {
    version: versionOf(object) ?? '',
    holder: typeof holder === 'string' && holder !== '' ? holder : undefined,
    durationMs: typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : undefined,
    transitions: typeof transitions === 'number' ? transitions : 0,
    annotations: new Map(annotations.map(([key, value]) => [key, String(value)])),
    raw: object,
  }
}

/** The API has an int32, and refuses more: a Lease that somebody gave that number could never change hands again. */
const MOST_TRANSITIONS = 2 ** 31 - 1

/** Asks the API server for one Lease. */
export class LeaseClient {
  readonly #client: Pick<ApiReader, 'get'> & Pick<ApiWriter, 'post' | 'put'>
  readonly #place: LeasePlace
  readonly #collection: string

  constructor(client: Pick<ApiReader, 'get'> & Pick<ApiWriter, 'post' | 'put'>, place: LeasePlace) {
    this.#client = client
    this.#place = place
    this.#collection = collectionPath(LEASES, place.namespace)
  }

  /** `undefined`: there is none. */
  async read(signal: AbortSignal): Promise<LeaseRecord | undefined> {
    try {
      return readLease(await this.#client.get(this.#path, { signal }))
    } catch (error) {
      if (error instanceof ApiStatusError && error.status === 404) return undefined
      throw error
    }
  }

  /** Makes the Lease, or replaces `base`; refused where it is not that one any more (409). */
  async write(base: LeaseRecord | undefined, fields: LeaseFields, signal: AbortSignal): Promise<LeaseRecord> {
    const object = objectOf(base, fields, this.#place)
    const answer =
      base === undefined
        ? await this.#client.post(this.#collection, object, { signal })
        : await this.#client.put(this.#path, object, { signal })
    return readLease(answer)
  }

  get #path(): string {
    return `${this.#collection}/${encodeURIComponent(this.#place.name)}`
  }
}

function objectOf(base: LeaseRecord | undefined, fields: LeaseFields, { namespace, name }: LeasePlace): JsonRecord {
  const { holder, durationMs, transitions, acquiredAtWallMs, renewedAtWallMs, annotations } = fields
  const all = new Map([...(base?.annotations ?? []), ...annotations])
  const own = base === undefined ? {} : { resourceVersion: base.version }
  return {
    ...base?.raw,
    apiVersion: 'coordination.k8s.io/v1',
    kind: LEASES.kind,
    metadata: { ...metadataOf(base?.raw), namespace, name, ...own, annotations: Object.fromEntries(all) },
    spec: {
      ...recordOf(base?.raw['spec']),
      // The API takes no empty name, so nobody is written as none.
      holderIdentity: holder ?? null,
      leaseDurationSeconds: Math.ceil(durationMs / 1000),
      leaseTransitions: Math.min(transitions, MOST_TRANSITIONS),
      renewTime: microTime(renewedAtWallMs),
      ...(acquiredAtWallMs === undefined ? {} : { acquireTime: microTime(acquiredAtWallMs) }),
    },
  }
}
