// A namespace of one test's own, with its Services, echo pods and Ingresses.
import { randomBytes } from 'node:crypto'
import { type EchoPod, startEchoPod } from '../../../hack/cluster/echo-server.ts'
import type { KubeObject } from '../../../hack/cluster/kube-client.ts'
import { endpointSlice, namespaceObject, type SlicePod, service } from '../../../hack/cluster/objects.ts'
import type { Cluster } from '../../../hack/cluster/start.ts'
import { nextPodAddress } from './addresses.ts'
import { eventually } from './eventually.ts'
import { type IngressShape, ingress, type Rules } from './ingress.ts'
import type { Ramjet } from './ramjet.ts'

// What a test may leave behind; there is no controller that would empty the namespace.
const COLLECTIONS = [
  '/apis/networking.k8s.io/v1/namespaces/NS/ingresses',
  '/apis/discovery.k8s.io/v1/namespaces/NS/endpointslices',
  '/api/v1/namespaces/NS/services',
  '/api/v1/namespaces/NS/secrets',
]

export class TestNamespace {
  readonly name: string
  readonly #cluster: Cluster
  readonly #pods: EchoPod[] = []
  readonly #global: KubeObject[] = []
  #marks = 0

  static async create(cluster: Cluster): Promise<TestNamespace> {
    const made = new TestNamespace(cluster, `t-${randomBytes(4).toString('hex')}`)
    await cluster.admin.create(namespaceObject(made.name))
    return made
  }

  private constructor(cluster: Cluster, name: string) {
    this.#cluster = cluster
    this.name = name
  }

  /** A host that no other test has: `shop.t-1a2b3c4d.example`. */
  host(label: string): string {
    return `${label}.${this.name}.example`
  }

  /** A Service with `pods` echo pods behind it, `NAME-1` and so on, and its slice. */
  async service(name: string, pods: number = 1): Promise<readonly EchoPod[]> {
    const started: EchoPod[] = []
    for (let index = 1; index <= pods; index += 1) started.push(await this.pod(`${name}-${index}`))
    await this.apply(service(this.name, name))
    await this.endpoints(name, started)
    return started
  }

  /** An echo pod that no slice names yet. */
  async pod(name: string): Promise<EchoPod> {
    const pod = await startEchoPod({ name, address: nextPodAddress() })
    this.#pods.push(pod)
    return pod
  }

  /** Writes the one slice of a Service anew. */
  async endpoints(serviceName: string, pods: readonly SlicePod[]): Promise<void> {
    const described = pods.map(({ address, ready, serving, terminating }) => ({
      address,
      ...(ready !== undefined && { ready }),
      ...(serving !== undefined && { serving }),
      ...(terminating !== undefined && { terminating }),
    }))
    await this.apply(endpointSlice(this.name, serviceName, described))
  }

  /** Makes an Ingress, or brings it to this state. */
  async ingress(name: string, rules: Rules, shape: IngressShape = {}): Promise<KubeObject> {
    return this.apply(ingress(this.name, name, { ...shape, rules }))
  }

  async deleteIngress(name: string): Promise<void> {
    await this.#cluster.admin.delete(ingress(this.name, name, { rules: {} }))
  }

  /** Sets annotations of an Ingress that is there, or takes them away with `null`. */
  async annotate(name: string, annotations: Readonly<Record<string, string | null>>): Promise<void> {
    await this.#cluster.admin.patch(ingress(this.name, name, { rules: {} }), { metadata: { annotations } })
  }

  /**
   * Resolves when `ramjet` serves a table that was compiled from every Ingress written so far: one more Ingress is
   * written, and one kind's changes arrive in order.
   */
  async compiled(ramjet: Ramjet): Promise<void> {
    this.#marks += 1
    const host = this.host('mark')
    const path = `/${this.#marks}`
    await this.ingress('mark', { [host]: { [path]: 'nobody' } })
    await eventually(async () => {
      const routes = await ramjet.routes(host)
      if (!routes.some((route) => route.path === path)) throw new Error(`${host}${path} is not served yet`)
    })
  }

  async apply(object: KubeObject): Promise<KubeObject> {
    return this.#cluster.admin.apply(object)
  }

  /** Applies an object that lies in no namespace and takes it away with this one. */
  async applyGlobal(object: KubeObject): Promise<KubeObject> {
    this.#global.push(object)
    return this.apply(object)
  }

  /** Deletes everything and stops the pods. The namespace itself goes by `finalize`, since no controller does it. */
  async remove(): Promise<void> {
    const { admin } = this.#cluster
    for (const object of this.#global) await admin.delete(object)
    for (const path of COLLECTIONS) await admin.request('DELETE', path.replace('NS', this.name))
    await admin.delete(namespaceObject(this.name))
    const body = { ...namespaceObject(this.name), spec: { finalizers: [] } }
    await admin.request('PUT', `/api/v1/namespaces/${this.name}/finalize`, { body })
    for (const pod of this.#pods) await pod.stop()
  }
}
