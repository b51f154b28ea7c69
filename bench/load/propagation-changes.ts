// The changes that are measured, and the cluster that they happen in.
import type { KubeClient, KubeObject } from '../../hack/cluster/kube-client.ts'
import { endpointSlice, type PodRef, service } from '../../hack/cluster/objects.ts'
import { type IngressPlan, ingress, rulesOf, secureIngress } from './api-objects.ts'
import type { Awaited } from './poller.ts'
import { type ShownPair, secretOf } from './shown-pairs.ts'

const BLUE: PodRef = { name: 'blue', address: '10.244.60.1' }
const GREEN: PodRef = { name: 'green', address: '10.244.60.2' }
export const PODS: readonly PodRef[] = [BLUE, GREEN]
const AT_ONCE = 20
const ROTATED = 'rotated'

/** One write, and what must be seen once it is served. */
export interface Change extends Awaited {
  readonly write: () => Promise<unknown>
}

export interface ChangeInput {
  readonly admin: KubeClient
  /** The namespace that it happens in. */
  readonly space: string
  /** From 0. A change differs from the one before it, so that the answer tells that it came. */
  readonly index: number
  /** Those that follow each other, in turn. */
  readonly pairs: readonly [ShownPair, ShownPair]
}

export interface ChangeKind {
  readonly name: string
  readonly change: (input: ChangeInput) => Change
}

export const CHANGES: readonly ChangeKind[] = [
  { name: 'new Ingress', change: newIngress },
  { name: 'backend swap', change: backendSwap },
  { name: 'endpoint change', change: endpointChange },
  { name: 'certificate rotation', change: certificateRotation },
]

/** Creates what the changes edit. */
export async function prepareChanges(admin: KubeClient, space: string, first: ShownPair): Promise<void> {
  const objects: readonly KubeObject[] = [
    ...['blue', 'green', 'flip'].map((name) => service(space, name)),
    endpointSlice(space, 'blue', [BLUE]),
    endpointSlice(space, 'green', [GREEN]),
    endpointSlice(space, 'flip', [BLUE]),
    ingress(swapping(space, 'blue')),
    ingress(flipping(space)),
    secretOf(space, ROTATED, first),
    secureIngress(rotating(space), ROTATED),
  ]
  for (const object of objects) await admin.create(object)
}

/** Creates `count` Ingresses with a host each that nothing asks for. */
export async function fillCluster(admin: KubeClient, space: string, count: number): Promise<void> {
  const plans = Array.from({ length: count }, (_, index): IngressPlan => {
    return { namespace: space, name: `fill-${index}`, host: `fill-${index}.bench.example`, service: 'blue' }
  })
  for (let start = 0; start < plans.length; start += AT_ONCE) {
    await Promise.all(plans.slice(start, start + AT_ONCE).map((plan) => admin.create(ingress(plan))))
  }
}

/** Takes every Ingress of the namespace away, so that the next run begins without them. */
export async function removeIngresses(admin: KubeClient, space: string): Promise<void> {
  await admin.request('DELETE', `/apis/networking.k8s.io/v1/namespaces/${space}/ingresses`)
}

function newIngress({ admin, space, index }: ChangeInput): Change {
  const name = `new-${index}`
  const plan: IngressPlan = { namespace: space, name, host: `${name}.bench.example`, service: 'blue' }
  return { sees: 'pod', host: plan.host, answer: 'blue', write: () => admin.create(ingress(plan)) }
}

function backendSwap({ admin, space, index }: ChangeInput): Change {
  const { name } = podAt(index)
  const plan = swapping(space, name)
  const write = (): Promise<unknown> => admin.patch(ingress(plan), { spec: { rules: rulesOf(plan) } })
  return { sees: 'pod', host: plan.host, answer: name, write }
}

function endpointChange({ admin, space, index }: ChangeInput): Change {
  const { name, address } = podAt(index)
  const slice = endpointSlice(space, 'flip', [{ address }])
  const write = (): Promise<unknown> => admin.patch(slice, { endpoints: slice['endpoints'] })
  return { sees: 'pod', host: flipping(space).host, answer: name, write }
}

function certificateRotation({ admin, space, index, pairs }: ChangeInput): Change {
  // The first one stands there when it begins.
  const pair = pairs[index % 2 === 0 ? 1 : 0]
  const write = (): Promise<unknown> => admin.patch(secretOf(space, ROTATED, pair), { data: pair.data })
  return { sees: 'certificate', host: rotating(space).host, answer: pair.fingerprint, write }
}

function swapping(namespace: string, serviceName: string): IngressPlan {
  return { namespace, name: 'swap', host: 'swap.bench.example', service: serviceName }
}

function flipping(namespace: string): IngressPlan {
  return { namespace, name: 'flip', host: 'flip.bench.example', service: 'flip' }
}

// The host that the pairs are for.
function rotating(namespace: string): IngressPlan {
  return { namespace, name: 'rotate', host: 'shop.example', service: 'blue' }
}

// Both begin with blue, so the first change is to green.
function podAt(index: number): PodRef {
  return index % 2 === 0 ? GREEN : BLUE
}
