import { digestOf } from '../lib/digest.ts'
import { DNS_NAME } from '../lib/dns-name.ts'

export interface LeaseNameSettings {
  readonly controllerName: string
  readonly ingressClass: string
  /** Whether `--ingress-class` was given: then it is part of who we are. */
  readonly ingressClassGiven: boolean
  /** Namespaces that narrow the install; `undefined`: all. */
  readonly watchNamespaces: readonly string[] | undefined
  /** `--namespace-selector` as it was given; `undefined`: none. */
  readonly namespaceSelector: string | undefined
}

/** What the API takes as the name of a Lease: a DNS subdomain. */
const HASH_DIGITS = 8

/** The name of the Lease where none is given: the same for replicas of one install, and for no other (R30-41, R70-91). */
export function leaseNameOf(settings: LeaseNameSettings): string {
  const { controllerName, ingressClass, ingressClassGiven } = settings
  const parts = ['ramjet', controllerName.replaceAll('/', '-'), ...(ingressClassGiven ? [ingressClass] : [])]
  const narrowing = narrowingHash(settings)
  const plain = [...parts, ...(narrowing === undefined ? [] : [narrowing])].join('-')
  if (DNS_NAME.test(plain)) return plain
  // A controller name may hold what no name of an object may; what is replaced must not make two of them one.
  const legal = plain
    .toLowerCase()
    .replaceAll(/[^a-z0-9.-]/g, '-')
    .slice(0, 200)
  return `${legal}-${hashOf(plain)}`
}

function narrowingHash({ watchNamespaces, namespaceSelector }: LeaseNameSettings): string | undefined {
  if (watchNamespaces === undefined && namespaceSelector === undefined) return undefined
  const names = [...new Set(watchNamespaces)].toSorted()
  return hashOf(JSON.stringify([names, namespaceSelector ?? '']))
}

function hashOf(text: string): string {
  return digestOf(text).slice(0, HASH_DIGITS)
}
