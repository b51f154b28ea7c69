// The three changes that are measured, and the cluster that they happen in.
import type { KubeClient, KubeObject } from '../../hack/cluster/kube-client.ts'
import { endpointSlice, type PodRef, service } from '../../hack/cluster/objects.ts'
import { type IngressPlan, ingress, rulesOf } from './api-objects.ts'

export const NAMESPACE = 'bench'
const BLUE: PodRef = { name: 'blue', address: '10.244.60.1' }
const GREEN: PodRef = { name: 'green', address: '10.244.60.2' }
export const PODS: readonly PodRef[] = [BLUE, GREEN]
const AT_ONCE = 20

/** One write, and what must be answered once it is served. */
export interface Change {
  readonly host: string
  readonly pod: string
  readonly write: () => Promise<unknown>
}

export interface ChangeKind {
  readonly name: string
  /** The change number `index`, from 0. It differs from the one before, so that the answer tells that it came. */
  readonly change: (admin: KubeClient, index: number) => Change
}

const swapping: IngressPlan = { namespace: NAMESPACE, name: 'swap', host: 'swap.bench.example', service: 'blue' }
const flipping: IngressPlan = { namespace: NAMESPACE, name: 'flip', host: 'flip.bench.example', service: 'flip' }

export const CHANGES: readonly ChangeKind[] = [
  { name: 'new Ingress', change: newIngress },
  { name: 'backend swap', change: backendSwap },
  { name: 'endpoint change', change: endpointChange },
]

function newIngress(admin: KubeClient, index: number): Change {
  const plan: IngressPlan = {
    namespace: NAMESPACE,
    name: `new-${index}`,
    host: `new-${index}.bench.example`,
    service: 'blue',
  }
  return { host: plan.host, pod: 'blue', write: () => admin.create(ingress(plan)) }
}

function backendSwap(admin: KubeClient, index: number): Change {
  const { name } = podAt(index)
  const plan = { ...swapping, service: name }
  return { host: plan.host, pod: name, write: () => admin.patch(ingress(plan), { spec: { rules: rulesOf(plan) } }) }
}

function endpointChange(admin: KubeClient, index: number): Change {
  const { name, address } = podAt(index)
  const slice = endpointSlice(NAMESPACE, flipping.service, [{ address }])
  return { host: flipping.host, pod: name, write: () => admin.patch(slice, { endpoints: slice['endpoints'] }) }
}

// Both begin with blue, so the first change is to green.
function podAt(index: number): PodRef {
  return index % 2 === 0 ? GREEN : BLUE
}

/** Creates what the changes edit. */
export async function prepareChanges(admin: KubeClient): Promise<void> {
  const objects: readonly KubeObject[] = [
    ...['blue', 'green', 'flip'].map((name) => service(NAMESPACE, name)),
    endpointSlice(NAMESPACE, 'blue', [BLUE]),
    endpointSlice(NAMESPACE, 'green', [GREEN]),
    endpointSlice(NAMESPACE, 'flip', [BLUE]),
    ingress(swapping),
    ingress(flipping),
  ]
  for (const object of objects) await admin.create(object)
}

/** Creates `count` Ingresses with a host each that nothing asks for. */
export async function fillCluster(admin: KubeClient, count: number): Promise<void> {
  const plans = Array.from({ length: count }, (_, index): IngressPlan => {
    return { namespace: NAMESPACE, name: `fill-${index}`, host: `fill-${index}.bench.example`, service: 'blue' }
  })
  for (let start = 0; start < plans.length; start += AT_ONCE) {
    await Promise.all(plans.slice(start, start + AT_ONCE).map((plan) => admin.create(ingress(plan))))
  }
}
