// Tables of rows for the Ingress chapter: objects, what is asked, who answers.
import { expect } from 'chai'
import type { IngressShape, Rules } from './ingress.ts'
import type { Ramjet } from './ramjet.ts'
import { type Scene, scene } from './scene.ts'
import type { TestNamespace } from './test-namespace.ts'

/** One row of a table. `%` in a host stands for the test's own domain. */
export interface Row {
  readonly title: string
  /** In the order in which they are made; made in one second, their names decide who is older. */
  readonly ingresses: Readonly<Record<string, Rules | (IngressShape & { readonly rules?: Rules })>>
  /** URL without its scheme, who answers, and the request target that the pod saw, where it is another one. */
  readonly asks: readonly (readonly [url: string, from: string, target?: string])[]
  /** `REASON object`; none where nothing is said. */
  readonly warnings?: readonly string[]
}

const SERVICES = ['a', 'b', 'c']

async function make(namespace: TestNamespace, { ingresses }: Row): Promise<void> {
  const domain = `${namespace.name}.example`
  for (const [name, given] of Object.entries(ingresses)) {
    const shaped = 'rules' in given || 'defaultBackend' in given
    const { rules = {}, ...shape } = shaped ? (given as IngressShape & { rules?: Rules }) : { rules: given as Rules }
    const named = Object.entries(rules).map(([host, list]) => [host.replace('%', domain), list] as const)
    await namespace.ingress(name, Object.fromEntries(named), shape)
  }
}

async function expectAnswers(ramjet: Ramjet, namespace: TestNamespace, { asks }: Row): Promise<void> {
  for (const [url, from, target] of asks) {
    const answer = await ramjet.serves(`http://${url.replace('%', `${namespace.name}.example`)}`, from)
    if (target !== undefined) expect(answer.echo?.target, url).to.equal(target)
  }
}

/** The warnings about a test's own objects, as `REASON object`. */
export async function reasonsIn(ramjet: Ramjet, namespace: TestNamespace): Promise<string[]> {
  const all = await ramjet.warnings(namespace.name)
  return all.filter(({ object }) => object.name !== 'mark').map(({ reason, object }) => `${reason} ${object.name}`)
}

/** A Ramjet, and for each test the Services `a`, `b` and `c` with one pod each, known to it already. */
export function rowScene(): Scene {
  const stage = scene()
  beforeEach('make three Services', async () => {
    const { ramjet, namespace } = stage
    for (const name of SERVICES) await namespace.service(name)
    const known = Object.fromEntries(SERVICES.map((name) => [`/${name}`, name]))
    await namespace.ingress('known', { [namespace.host('known')]: known })
    for (const name of SERVICES) await ramjet.serves(`http://${namespace.host('known')}/${name}`, name)
  })
  return stage
}

/** A test for each row. */
export function itHolds(stage: Scene, rows: readonly Row[]): void {
  for (const row of rows) {
    it(row.title, async () => {
      const { ramjet, namespace } = stage
      await make(namespace, row)
      await namespace.compiled(ramjet)
      await expectAnswers(ramjet, namespace, row)
      expect(await reasonsIn(ramjet, namespace)).to.have.members(row.warnings ?? [])
    })
  }
}
