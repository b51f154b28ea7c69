// Where traffic enters, as it is published on Ingresses (R30-37).

import { decodeNode, decodePublishedService } from '../api/decode-placement.ts'
import type { LoadBalancerAddress } from '../api/networking.ts'
import { isIp } from '../lib/ip.ts'
import { keyOf } from '../model/object-ref.ts'
import type { Runnable } from '../runtime/manager.ts'
import { type ReadingTrouble, troubleOf } from './kind-status.ts'
import { NODES, SERVICES } from './kinds.ts'
import type { OwnPods } from './own-pods.ts'
import type { ServiceName } from './service-name.ts'
import type { MakeInformer } from './writer-informers.ts'
import { sortAddresses } from './written-parts.ts'

export interface AddressSource extends ReadingTrouble {
  /** What is to be read for it. */
  readonly parts: readonly Runnable[]
  /** In one order, each once; `undefined`: not known, or nobody asked for any. */
  current(): readonly LoadBalancerAddress[] | undefined
  /** Calls `listener` whenever `current` may say something else. */
  onChange(listener: () => void): void
}

// What nobody reads meets nothing in its way.
const NOTHING_READ: Omit<AddressSource, 'current'> = {
  parts: [],
  onChange: () => {},
  warnings: () => [],
  onStatus: () => {},
}

/** Nobody asked for addresses. */
export const NO_ADDRESSES: AddressSource = { ...NOTHING_READ, current: () => undefined }

/** `--publish-address`. */
export function fixedAddresses(texts: readonly string[]): AddressSource {
  const addresses = sortAddresses(texts.map(addressOf))
  return { ...NOTHING_READ, current: () => addresses }
}

/** `--publish-service`: the addresses of one Service, which need not be in a watched namespace. */
export function serviceAddresses(service: ServiceName, makeInformer: MakeInformer): AddressSource {
  const informer = makeInformer({
    resource: SERVICES,
    decode: decodePublishedService,
    namespaces: [service.namespace],
    selection: { name: service.name },
  })
  return {
    parts: [{ name: 'service whose addresses are published', run: (signal) => informer.run(signal) }],
    current: () => {
      // One that is not there may be about to be made anew: what was written stays.
      const found = informer.lister.get(keyOf(service))
      if (!found) return undefined
      return sortAddresses(found.balancer.length > 0 ? found.balancer : found.externalIps.map((ip) => ({ ip })))
    },
    onChange: (listener) => informer.addHandler(listener),
    ...troubleOf(informer),
  }
}

/** The nodes on whose network our pods run. */
export function nodeAddresses(pods: OwnPods, makeInformer: MakeInformer): AddressSource {
  const informer = makeInformer({ resource: NODES, decode: decodeNode, namespaces: [] })
  return {
    parts: [{ name: 'nodes whose addresses are published', run: (signal) => informer.run(signal) }],
    current: () => {
      const places = pods.all()
      if (!places || !informer.hasSynced) return undefined
      const names = places.flatMap(({ node }) => (node === undefined ? [] : [node]))
      const nodes = names.flatMap((name) => informer.lister.get(name) ?? [])
      return sortAddresses(
        nodes.flatMap(({ externalIps: [external], internalIps: [internal] }) => {
          const ip = external ?? internal
          return ip === undefined ? [] : [{ ip }]
        }),
      )
    },
    onChange: (listener) => {
      informer.addHandler(listener)
      pods.onChange(listener)
    },
    ...troubleOf(informer),
  }
}

function addressOf(text: string): LoadBalancerAddress {
  return isIp(text) ? { ip: text } : { hostname: text }
}
