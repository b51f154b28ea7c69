// The two things that are written onto an Ingress: the generation that included it, and where traffic enters.
import type { Ingress, IngressClass, LoadBalancerAddress } from '../api/networking.ts'
import { CLASS_ANNOTATION } from '../compiler/select.ts'
import type { Lister } from '../runtime/lister.ts'
import type { IngressPart } from './ingress-writer.ts'
import type { PlannedPatch } from './object-writer.ts'
import type { ObservedGenerations } from './observed-generations.ts'
import { OBSERVED_GENERATION } from './written-fields.ts'

/** Writes the annotation that says which generation last included the Ingress (R30-33). */
export function generationPart(observed: ObservedGenerations): IngressPart {
  return {
    target: 'object',
    plan(key, ingress) {
      const number = observed.wanted(key, ingress)
      if (number === undefined) return undefined
      return {
        target: 'object',
        body: { metadata: { annotations: { [OBSERVED_GENERATION]: String(number) } } },
        sending: () => observed.sending(key, number),
        wrote: () => observed.wrote(key, number),
      }
    },
  }
}

export interface AddressPartDeps {
  /** Where traffic enters; `undefined`: not known, and then nothing is written and nothing is cleared. */
  readonly addresses: () => readonly LoadBalancerAddress[] | undefined
  /** `namespace/name` of the Ingresses that are ours; `undefined`: nothing was compiled yet. */
  readonly claimed: () => ReadonlySet<string> | undefined
  /** Whether this process has seen the Ingress to be ours at some time. */
  readonly wasClaimed: (key: string) => boolean
  readonly classes: Lister<IngressClass>
  /** Whether the last replica is about to go, and takes its addresses with it (R30-38). */
  readonly isLeaving: () => boolean
}

/** Writes `.status.loadBalancer`, and clears it where an Ingress is no longer ours and nobody took it over. */
export function addressPart(deps: AddressPartDeps): IngressPart {
  return {
    target: 'status',
    plan(key, ingress) {
      const [addresses, claimed] = [deps.addresses(), deps.claimed()]
      if (!addresses || !claimed) return undefined
      if (claimed.has(key) && !deps.isLeaving()) return isSame(ingress, addresses) ? undefined : write(addresses)
      // What is not what we write was written by whoever has the Ingress now.
      const isOurs = addresses.length > 0 && isSame(ingress, addresses)
      return isOurs && (claimed.has(key) || isAbandoned(key, ingress, deps)) ? write([]) : undefined
    },
  }
}

function isAbandoned(key: string, ingress: Ingress, { wasClaimed, classes }: AddressPartDeps): boolean {
  const { annotations } = ingress.metadata
  if (!wasClaimed(key) && annotations?.[OBSERVED_GENERATION] === undefined) return false
  // The old annotation needs no IngressClass to be served by somebody.
  if (annotations?.[CLASS_ANNOTATION] !== undefined) return false
  const name = ingress.spec?.ingressClassName
  return name === undefined || classes.get(name) === undefined
}

function isSame({ addresses = [] }: Ingress, wanted: readonly LoadBalancerAddress[]): boolean {
  return JSON.stringify(sortAddresses(addresses)) === JSON.stringify(wanted)
}

function write(addresses: readonly LoadBalancerAddress[]): PlannedPatch {
  const ingress = addresses.length === 0 ? null : addresses
  return { target: 'status', body: { status: { loadBalancer: { ingress } } } }
}

/** Each address once, in one order. */
export function sortAddresses(addresses: readonly LoadBalancerAddress[]): readonly LoadBalancerAddress[] {
  const byText = new Map(addresses.map((address) => [`${address.ip ?? ''} ${address.hostname ?? ''}`, address]))
  return [...byText].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, address]) => address)
}
