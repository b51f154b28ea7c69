// Parameters of an IngressClass on the real API server: R50-5, R50-13, R50-14, R50-16.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { load } from 'js-yaml'
import { KubeError, type KubeObject } from '../../hack/cluster/kube-client.ts'
import { SPEC_SAMPLES } from '../controllers/validators/parameters-samples.ts'
import { classParameters, classWithParameters } from './support/class-parameters.ts'
import { theCluster } from './support/cluster.ts'
import { eventually } from './support/eventually.ts'
import { Ramjet } from './support/ramjet.ts'
import { namespaceForEach, scene } from './support/scene.ts'
import type { TestNamespace } from './support/test-namespace.ts'

const CRD_FILE = join(import.meta.dirname, '..', '..', 'crds', 'ramjet.dev_classparameters.yaml')
const COLLECTION = '/apis/ramjet.dev/v1alpha1/classparameters'

interface Stage {
  readonly className: string
  readonly url: string
  /** Applies the parameters that the class names. */
  readonly parameters: (spec: Readonly<Record<string, unknown>>) => Promise<void>
}

/** A class of its own with parameters in the namespace, and an Ingress of it for the Service `web`. */
async function stageOf(namespace: TestNamespace): Promise<Stage> {
  const className = `tuned-${namespace.name}`
  const host = namespace.host('web')
  await namespace.applyGlobal(classWithParameters(className, namespace.name, 'tuned'))
  await namespace.ingress('web', { [host]: { '/': 'web' } }, { className })
  return {
    className,
    url: `http://${host}/`,
    parameters: async (spec) => {
      await namespace.applyGlobal(classParameters(namespace.name, 'tuned', spec))
    },
  }
}

async function toldOf(ramjet: Ramjet, namespace: TestNamespace, className: string): Promise<readonly string[]> {
  const ofClass = (await ramjet.warnings('')).filter(({ object }) => object.name === className)
  const all = [...(await ramjet.warnings(namespace.name)), ...ofClass]
  return all.map(({ reason, object, field }) => `${reason} ${object.kind} ${field}`).toSorted()
}

describe('ClassParameters', () => {
  const stage = scene()

  it('change the timeout of a class while it serves (R50-13)', async () => {
    const { ramjet, namespace } = stage
    await namespace.service('web')
    const { url, parameters } = await stageOf(namespace)
    await parameters({ timeout: '300ms' })
    await ramjet.serves(url, 'web')
    expect((await ramjet.get(`${url}?delay=2000`)).status).to.equal(504)
    await parameters({ timeout: '10s' })
    await eventually(async () => expect((await ramjet.get(`${url}?delay=600`)).status).to.equal(200))
  })

  it('change how the class balances while it serves (R50-13)', async () => {
    const { ramjet, namespace } = stage
    await namespace.service('web', 3)
    const { url, parameters } = await stageOf(namespace)
    const podsOf = async (user: string): Promise<number> => {
      const answers = await Promise.all(
        Array.from({ length: 30 }, () => ramjet.get(url, { headers: { 'x-user': user } })),
      )
      return new Set(answers.map(({ from }) => from)).size
    }
    await parameters({})
    await ramjet.serves(url, 'web')
    await eventually(async () => expect(await podsOf('anna')).to.equal(3))
    await parameters({ loadBalancing: 'hash', loadBalancingKey: 'header:X-User' })
    await eventually(async () => expect(await podsOf('anna')).to.equal(1))
  })

  it('hold a class back while they are missing, and say so on class and Ingress (R50-14)', async () => {
    const { ramjet, namespace } = stage
    await namespace.service('web')
    const { className, url, parameters } = await stageOf(namespace)
    await namespace.compiled(ramjet)
    expect((await ramjet.get(url)).from).to.equal('404')
    // The class comes by a watch of its own, which may be later than that of Ingresses.
    await eventually(async () => {
      expect(await toldOf(ramjet, namespace, className)).to.include.members([
        'InvalidParameters Ingress spec.ingressClassName',
        'InvalidParameters IngressClass spec.parameters',
      ])
    })
    await parameters({ timeout: '5s' })
    await ramjet.serves(url, 'web')
    expect((await toldOf(ramjet, namespace, className)).join()).not.to.contain('InvalidParameters')
    await theCluster().admin.delete(classParameters(namespace.name, 'tuned', {}))
    await ramjet.serves(url, '404')
  })

  it('hold a class back while they are not what the schema allows, and heal by an edit (R50-16)', async () => {
    const { ramjet, namespace } = stage
    await namespace.service('web')
    const { className, url, parameters } = await stageOf(namespace)
    await parameters({ timeout: '5s' })
    await ramjet.serves(url, 'web')
    await withOpenSchema(async () => {
      await eventually(() => parameters({ timeout: 'soon' }))
    })
    await ramjet.serves(url, '404')
    expect(await toldOf(ramjet, namespace, className)).to.include.members([
      'InvalidObject ClassParameters spec.timeout',
      'InvalidParameters Ingress spec.ingressClassName',
      'InvalidParameters IngressClass spec.parameters',
    ])
    await eventually(() => parameters({ timeout: '5s' }))
    await ramjet.serves(url, 'web')
    expect((await toldOf(ramjet, namespace, className)).join()).not.to.contain('Invalid')
  })

  for (const { title, spec, wrong } of SPEC_SAMPLES) {
    it(`R50-16: the API server ${wrong === undefined ? 'takes' : 'refuses'} ${title}`, async () => {
      expect(await tried(stage.namespace.name, spec)).to.equal(wrong === undefined ? 'taken' : 422)
    })
  }
})

describe('the CRD of ClassParameters', () => {
  const namespace = namespaceForEach()
  let ramjet: Ramjet

  before(async () => {
    ramjet = await Ramjet.start(theCluster(), { tunables: { askAgainMs: 200, removedKindMs: 8000 } })
  })

  after(async () => {
    await ramjet.stop()
    await installCrd()
  })

  it('R50-5: is done without, served once it is installed, and its objects outlive it for a while', async () => {
    await namespace().service('web')
    await removeCrd()
    const { url, parameters } = await stageOf(namespace())
    await namespace().compiled(ramjet)
    expect((await ramjet.get(url)).from).to.equal('404')

    await installCrd()
    await eventually(() => parameters({ timeout: '5s' }))
    await ramjet.serves(url, 'web')

    const traffic = await ramjet.traffic(url, 'web')
    await removeCrd()
    await eventually(async () => {
      const reasons = (await ramjet.warnings('')).map(({ reason }) => reason)
      expect(reasons).to.include('KindRemoved')
    })
    expect((await traffic.stop()).wrong).to.deep.equal([])
    await eventually(async () => expect((await ramjet.get(url)).from).to.equal('404'))
    const reasons = (await ramjet.warnings('')).map(({ reason }) => reason)
    expect(reasons).not.to.include('KindRemoved')

    await installCrd()
    await eventually(() => parameters({ timeout: '5s' }))
    await ramjet.serves(url, 'web')
  })
})

/** Runs `use` while the API server stores any spec, as one with another schema would. */
async function withOpenSchema(use: () => Promise<void>): Promise<void> {
  const crd = theCrd()
  const open = structuredClone(crd) as unknown as {
    spec: { versions: { schema: { openAPIV3Schema: { properties: Record<string, unknown> } } }[] }
  }
  for (const { schema } of open.spec.versions) {
    schema.openAPIV3Schema.properties['spec'] = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  }
  await theCluster().admin.apply(open as unknown as KubeObject)
  try {
    await use()
  } finally {
    await installCrd()
  }
}

function theCrd(): KubeObject {
  return load(readFileSync(CRD_FILE, 'utf8')) as KubeObject
}

/** Applies the CRD as it ships, and resolves when the API server serves it and goes by its schema. */
async function installCrd(): Promise<void> {
  await theCluster().admin.apply(theCrd())
  await eventually(() => theCluster().admin.request('GET', COLLECTION))
  await eventually(async () => expect(await tried('default', { timeout: 'soon' })).to.equal(422))
}

/** What the API server says to ClassParameters that are not to be kept: `taken`, or the status of its refusal. */
async function tried(namespace: string, spec: Readonly<Record<string, unknown>>): Promise<unknown> {
  const path = `/apis/ramjet.dev/v1alpha1/namespaces/${namespace}/classparameters?dryRun=All`
  return theCluster()
    .admin.request('POST', path, { body: classParameters(namespace, 'sample', spec) })
    .then(
      () => 'taken',
      (error: unknown) => (error instanceof KubeError ? error.status : error),
    )
}

async function removeCrd(): Promise<void> {
  await theCluster().admin.delete(theCrd())
  await eventually(async () => {
    const gone = await theCluster()
      .admin.request('GET', COLLECTION)
      .then(
        () => false,
        () => true,
      )
    expect(gone).to.equal(true)
  })
}
