// Which Ingresses are ours: R10-1, R10-3, R10-5, R10-6, R10-7, on objects as the API server stores them.
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { KubeError } from '../../hack/cluster/kube-client.ts'
import { ingressClass } from './support/classes.ts'
import { theCluster } from './support/cluster.ts'
import { eventually } from './support/eventually.ts'
import type { IngressShape } from './support/ingress.ts'
import { Ramjet } from './support/ramjet.ts'
import { namespaceForEach, scene } from './support/scene.ts'
import { TestNamespace } from './support/test-namespace.ts'

const CLASS_ANNOTATION = 'kubernetes.io/ingress.class'

/** Who answers for the host of each Ingress, once every Ingress written so far is compiled. */
async function expectAnswers(
  ramjet: Ramjet,
  namespace: TestNamespace,
  wanted: Readonly<Record<string, string>>,
): Promise<void> {
  await namespace.compiled(ramjet)
  await eventually(async () => {
    const found: Record<string, string> = {}
    for (const name of Object.keys(wanted)) {
      found[name] = (await ramjet.get(`http://${namespace.host(name)}/`)).from
    }
    expect(found).to.deep.equal(wanted)
  })
}

/** Resolves when `ramjet` has as many classes as there are: they come by a watch of their own. */
async function untilClassesKnown(ramjet: Ramjet): Promise<void> {
  const list = await theCluster().admin.request('GET', '/apis/networking.k8s.io/v1/ingressclasses')
  const { items } = list as { readonly items: readonly unknown[] }
  await eventually(async () => {
    expect(await ramjet.metric('ramjet_objects{kind="IngressClass"}')).to.equal(items.length)
  })
}

/** An Ingress that sends the host of its own name to the Service `web`. */
async function make(namespace: TestNamespace, name: string, shape: IngressShape): Promise<void> {
  await namespace.ingress(name, { [namespace.host(name)]: { '/': 'web' } }, shape)
}

describe('claiming', () => {
  const stage = scene()

  beforeEach(async () => {
    const { ramjet, namespace } = stage
    await namespace.service('web')
    await make(namespace, 'known', {})
    await ramjet.serves(`http://${namespace.host('known')}/`, 'web')
  })

  it('takes the annotation alone as a class, ours and not ours (R10-1 line 1)', async () => {
    const { ramjet, namespace } = stage
    await make(namespace, 'ours', { className: null, annotations: { [CLASS_ANNOTATION]: 'ramjet' } })
    await make(namespace, 'theirs', { className: null, annotations: { [CLASS_ANNOTATION]: 'nginx' } })
    await expectAnswers(ramjet, namespace, { ours: 'web-1', theirs: '404' })
  })

  it('lets an annotation that was patched in decide over the class, both ways (R10-1 line 1)', async () => {
    const { ramjet, namespace } = stage
    const theirs = `theirs-${namespace.name}`
    await namespace.applyGlobal(ingressClass(theirs, { controller: 'example.com/other' }))
    await make(namespace, 'leaves', {})
    await make(namespace, 'comes', { className: theirs })
    await expectAnswers(ramjet, namespace, { leaves: 'web-1', comes: '404' })
    await namespace.annotate('leaves', { [CLASS_ANNOTATION]: 'nginx' })
    await namespace.annotate('comes', { [CLASS_ANNOTATION]: 'ramjet' })
    await expectAnswers(ramjet, namespace, { leaves: '404', comes: 'web-1' })
  })

  it('cannot meet such a pair on create: the API server refuses it (R10-50)', async () => {
    const { namespace } = stage
    const both = make(namespace, 'both', { annotations: { [CLASS_ANNOTATION]: 'nginx' } })
    const status = await both.catch((error: unknown) => error instanceof KubeError && error.status)
    expect(status).to.equal(422)
  })

  it('goes by the controller of the class, not by its name (R10-1 lines 2 and 3)', async () => {
    const { ramjet, namespace } = stage
    const [ours, theirs] = [`ours-${namespace.name}`, `theirs-${namespace.name}`]
    await namespace.applyGlobal(ingressClass(ours))
    await namespace.applyGlobal(ingressClass(theirs, { controller: 'example.com/other' }))
    await make(namespace, 'a', { className: ours })
    await make(namespace, 'b', { className: theirs })
    await expectAnswers(ramjet, namespace, { a: 'web-1', b: '404' })
  })

  it('logs a class that does not exist once, and is silent on the class of another (R10-1 lines 3 and 4)', async () => {
    const { ramjet, namespace } = stage
    const theirs = `theirs-${namespace.name}`
    await namespace.applyGlobal(ingressClass(theirs, { controller: 'example.com/other' }))
    await untilClassesKnown(ramjet)
    await make(namespace, 'lost', { className: `nobody-${namespace.name}` })
    await make(namespace, 'foreign', { className: theirs })
    await expectAnswers(ramjet, namespace, { lost: '404', foreign: '404' })
    await namespace.compiled(ramjet)
    const lines = readFileSync(ramjet.process.log, 'utf8').split('\n')
    const about = (name: string): string[] =>
      lines.filter((line) => line.includes(namespace.name) && line.includes(`"${name}"`))
    expect(about('foreign')).to.deep.equal([])
    expect(about('lost')).to.have.lengthOf(1)
    expect(about('lost')[0]).to.include('UnknownIngressClass')
  })

  it('takes an Ingress without a class once a class of ours is the default (R10-1 line 5)', async () => {
    const { ramjet, namespace } = stage
    await make(namespace, 'none', { className: null })
    await expectAnswers(ramjet, namespace, { none: '404' })
    await namespace.applyGlobal(ingressClass(`default-${namespace.name}`, { isDefault: true }))
    await ramjet.serves(`http://${namespace.host('none')}/`, 'web')
  })

  it('leaves it to the default class of another controller (R10-1 line 5)', async () => {
    const { ramjet, namespace } = stage
    const other = ingressClass(`default-${namespace.name}`, { controller: 'example.com/other', isDefault: true })
    await namespace.applyGlobal(other)
    await make(namespace, 'none', { className: null })
    await expectAnswers(ramjet, namespace, { none: '404' })
  })

  it('makes an unclaimed Ingress invisible, however broken it is (R10-5)', async () => {
    const { ramjet, namespace } = stage
    const annotations = { [CLASS_ANNOTATION]: 'nginx', 'nginx.ingress.kubernetes.io/auth-type': 'basic' }
    const host = namespace.host('foreign')
    const rules = { [host]: { 'ImplementationSpecific /a(': 'web', '/': 'nobody' } }
    await namespace.ingress('foreign', rules, { className: null, annotations })
    await expectAnswers(ramjet, namespace, { foreign: '404' })
    expect(await ramjet.routes(host)).to.deep.equal([])
    const about = (await ramjet.warnings(namespace.name)).filter(({ object }) => object.name === 'foreign')
    expect(about).to.deep.equal([])
  })

  it('adds and removes routes when an edit changes the class (R10-6)', async () => {
    const { ramjet, namespace } = stage
    const theirs = `theirs-${namespace.name}`
    await namespace.applyGlobal(ingressClass(theirs, { controller: 'example.com/other' }))
    await make(namespace, 'web', {})
    await expectAnswers(ramjet, namespace, { web: 'web-1' })
    await make(namespace, 'web', { className: theirs })
    await expectAnswers(ramjet, namespace, { web: '404' })
    await make(namespace, 'web', {})
    await expectAnswers(ramjet, namespace, { web: 'web-1' })
  })

  it('adds and removes routes when the class appears and vanishes (R10-6)', async () => {
    const { ramjet, namespace } = stage
    const late = ingressClass(`late-${namespace.name}`)
    await make(namespace, 'web', { className: late.metadata.name })
    await expectAnswers(ramjet, namespace, { web: '404' })
    await namespace.applyGlobal(late)
    await ramjet.serves(`http://${namespace.host('web')}/`, 'web')
    await theCluster().admin.delete(late)
    await ramjet.serves(`http://${namespace.host('web')}/`, '404')
  })
})

describe('claiming by flags', () => {
  const namespace = namespaceForEach()
  let running: Ramjet[] = []

  const start = async (...flags: readonly string[]): Promise<Ramjet> => {
    const ramjet = await Ramjet.start(theCluster(), { workers: 1, flags })
    running.push(ramjet)
    return ramjet
  }

  beforeEach(async () => {
    await namespace().service('web')
  })

  afterEach(async () => {
    for (const ramjet of running) await ramjet.stop()
    running = []
  })

  it('takes Ingresses without a class with --watch-ingress-without-class (R10-1 line 5)', async () => {
    await make(namespace(), 'none', { className: null })
    const ramjet = await start('--watch-ingress-without-class')
    await expectAnswers(ramjet, namespace(), { none: 'web-1' })
  })

  it('narrows to one class with --ingress-class (R10-3)', async () => {
    const [one, two] = [`one-${namespace().name}`, `two-${namespace().name}`]
    await namespace().applyGlobal(ingressClass(one))
    await namespace().applyGlobal(ingressClass(two))
    await make(namespace(), 'a', { className: one })
    await make(namespace(), 'b', { className: two })
    const ramjet = await start('--ingress-class', one)
    await ramjet.serves(`http://${namespace().host('a')}/`, 'web')
    expect((await ramjet.get(`http://${namespace().host('b')}/`)).from).to.equal('404')
  })

  it('reads the annotation by --ingress-class (R10-1 line 1)', async () => {
    await make(namespace(), 'a', { className: null, annotations: { [CLASS_ANNOTATION]: 'mine' } })
    await make(namespace(), 'b', { className: null, annotations: { [CLASS_ANNOTATION]: 'ramjet' } })
    const ramjet = await start('--ingress-class', 'mine')
    await ramjet.serves(`http://${namespace().host('a')}/`, 'web')
    expect((await ramjet.get(`http://${namespace().host('b')}/`)).from).to.equal('404')
  })

  it('divides a cluster by --controller-name (R10-7)', async () => {
    const [one, two] = [`one-${namespace().name}`, `two-${namespace().name}`]
    await namespace().applyGlobal(ingressClass(one, { controller: 'ramjet.dev/one' }))
    await namespace().applyGlobal(ingressClass(two, { controller: 'ramjet.dev/two' }))
    await make(namespace(), 'a', { className: one })
    await make(namespace(), 'b', { className: two })
    const urls = [`http://${namespace().host('a')}/`, `http://${namespace().host('b')}/`]
    const first = await start('--controller-name', 'ramjet.dev/one')
    const second = await start('--controller-name', 'ramjet.dev/two')
    await first.serves(urls[0] ?? '', 'web')
    await second.serves(urls[1] ?? '', 'web')
    expect((await first.get(urls[1] ?? '')).from).to.equal('404')
    expect((await second.get(urls[0] ?? '')).from).to.equal('404')
  })

  it('divides a cluster by --watch-namespace (R10-7)', async () => {
    const other = await TestNamespace.create(theCluster())
    try {
      await other.service('web')
      await make(namespace(), 'a', {})
      await make(other, 'b', {})
      const first = await start('--watch-namespace', namespace().name)
      const second = await start('--watch-namespace', other.name)
      const both = await start('--watch-namespace', `${namespace().name},${other.name}`)
      const urls = [`http://${namespace().host('a')}/`, `http://${other.host('b')}/`]
      const wanted = [
        [first, ['web-1', '404']],
        [second, ['404', 'web-1']],
        [both, ['web-1', 'web-1']],
      ] as const
      for (const [ramjet, answers] of wanted) {
        for (const [index, url] of urls.entries()) await ramjet.serves(url, answers[index] ?? '')
      }
    } finally {
      await other.remove()
    }
  })
})
