import { decodePodPlaces } from '../api/decode-placement.ts'
import { SERVICE_NAME_LABEL } from '../api/discovery.ts'
import type { PodPlace } from '../api/placement.ts'
import type { Runnable } from '../runtime/manager.ts'
import { type ReadingTrouble, troubleOf } from './kind-status.ts'
import { ENDPOINT_SLICES } from './kinds.ts'
import type { ServiceName } from './service-name.ts'
import type { MakeInformer } from './writer-informers.ts'

/** The pods of this installation that are ready, as the slices of one of its Services name them. */
export interface OwnPods extends ReadingTrouble {
  readonly part: Runnable
  /** `undefined`: not known. */
  all(): readonly PodPlace[] | undefined
  onChange(listener: () => void): void
}

/** Our pods by the slices of `service`. */
export function ownPods(service: ServiceName, makeInformer: MakeInformer): OwnPods {
  const informer = makeInformer({
    resource: ENDPOINT_SLICES,
    decode: decodePodPlaces,
    namespaces: [service.namespace],
    selection: { labels: `${SERVICE_NAME_LABEL}=${service.name}` },
  })
  return {
    part: { name: 'pods of this installation', run: (signal) => informer.run(signal) },
    // No slice at all says that nobody made that Service, and nothing about pods.
    all: () => (informer.lister.size === 0 ? undefined : [...informer.lister.list()].flatMap(({ pods }) => pods)),
    onChange: (listener) => informer.addHandler(listener),
    ...troubleOf(informer),
  }
}
