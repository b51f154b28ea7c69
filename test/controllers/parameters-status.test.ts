import { expect } from 'chai'
import type { ClassParametersStatus } from '../../src/api/v1alpha1/class-parameters.ts'
import type { CompileResult } from '../../src/compiler/result.ts'
import { judgeParameters } from '../../src/controllers/class-parameters.ts'
import { parametersStatusPart, type ServedGeneration } from '../../src/controllers/parameters-status.ts'
import type { StoredParameters } from '../../src/controllers/stored-parameters.ts'
import { recordOf } from '../../src/lib/json-record.ts'
import { ingressClass } from '../builders/ingress-class.ts'
import { compileCluster } from '../compiler/cluster.ts'
import { FakeClock } from '../fakes/clock.ts'

const KEY = 'shop/tuned'

function stored(spec: unknown, status: Readonly<Record<string, unknown>> = {}): StoredParameters {
  const metadata = { name: 'tuned', namespace: 'shop', uid: '1', resourceVersion: '1', creationTimestamp: '' }
  return { metadata: { ...metadata, generation: 4 }, spec, status }
}

function compiledWith(spec: unknown, isNamed = true): CompileResult {
  const base = ingressClass('ramjet')
  const parameters = { apiGroup: 'ramjet.dev', kind: 'ClassParameters', namespace: 'shop', name: 'tuned' }
  const named = { ...base, spec: { ...base.spec, parameters: { ...parameters, scope: 'Namespace' } } }
  return compileCluster({
    classes: [isNamed ? named : base],
    classParameters: { [KEY]: judgeParameters(spec) },
  })
}

class Fixture {
  readonly clock = new FakeClock()
  result: CompileResult | undefined = compiledWith({ timeout: '5s' })
  number = 7
  served: ServedGeneration | undefined = { number: 7, atMs: Date.UTC(2026, 0, 2, 3, 4, 5, 678) }
  readonly #part = parametersStatusPart({
    compiled: () => this.result,
    newest: () => {
      if (!this.result) return undefined
      const { routes } = this.result.tables
      return { number: this.number, digest: routes.digest, routes, warnings: [] }
    },
    served: () => this.served,
    clock: this.clock,
  })

  plan(object: StoredParameters): ClassParametersStatus | undefined {
    const patch = this.#part.plan(KEY, object)
    return patch && recordOf(patch.body['status'])
  }

  /** `Accepted=True/Accepted` for each condition. */
  conditions(object: StoredParameters): readonly string[] {
    return (this.plan(object)?.conditions ?? []).map(({ type, status, reason }) => `${type}=${status}/${reason}`)
  }
}

describe('the status of ClassParameters (R50-15)', () => {
  let fixture: Fixture

  beforeEach(() => {
    fixture = new Fixture()
  })

  it('says what serves by them', () => {
    expect(fixture.plan(stored({ timeout: '5s' }))).to.deep.equal({
      conditions: [
        {
          type: 'Accepted',
          status: 'True',
          reason: 'Accepted',
          message: 'the parameters can be used',
          observedGeneration: 4,
          lastTransitionTime: '2026-01-01T00:16:40Z',
        },
        {
          type: 'Programmed',
          status: 'True',
          reason: 'Programmed',
          message: 'served: ramjet',
          observedGeneration: 4,
          lastTransitionTime: '2026-01-01T00:16:40Z',
        },
      ],
      observedGeneration: 4,
      generation: 7,
      digest: fixture.result?.tables.routes.digest,
      routes: 0,
      hosts: 0,
      certificates: 0,
      warnings: 0,
      lastPublishTime: '2026-01-02T03:04:05Z',
    })
  })

  it('is not written again where it says the same', () => {
    const first = fixture.plan(stored({ timeout: '5s' }))
    fixture.clock.advance(60_000)
    const written = { ...first, more: 'of somebody else' }
    expect(fixture.plan(stored({ timeout: '5s' }, written))).to.equal(undefined)
  })

  it('keeps the time of a condition that did not turn, and the conditions of others', () => {
    const first = fixture.plan(stored({ timeout: '5s' }))
    fixture.clock.advance(60_000)
    fixture.number = 8
    const other = { type: 'Audited', status: 'True', reason: 'R', message: 'm', lastTransitionTime: 't' }
    const status = { ...first, conditions: [...(first?.conditions ?? []), other] }
    const next = fixture.plan(stored({ timeout: '5s' }, status))?.conditions ?? []
    expect(next.map(({ type, status: at, lastTransitionTime }) => [type, at, lastTransitionTime])).to.deep.equal([
      ['Accepted', 'True', '2026-01-01T00:16:40Z'],
      ['Programmed', 'False', '2026-01-01T00:17:40Z'],
      ['Audited', 'True', 't'],
    ])
  })

  it('waits until the object was compiled as it is', () => {
    expect(fixture.plan(stored({ timeout: '6s' }))).to.equal(undefined)
    fixture.result = compiledWith({ timeout: '6s' })
    expect(fixture.conditions(stored({ timeout: '6s' }))[0]).to.equal('Accepted=True/Accepted')
    fixture.result = undefined
    expect(fixture.plan(stored({ timeout: '6s' }))).to.equal(undefined)
  })

  it('says what is wrong with them', () => {
    fixture.result = compiledWith({ timeout: 'soon' })
    const object = stored({ timeout: 'soon' })
    expect(fixture.conditions(object)).to.deep.equal(['Accepted=False/InvalidObject', 'Programmed=False/Invalid'])
    expect(fixture.plan(object)?.conditions?.[0]?.message).to.contain('spec.timeout must be a number with')
  })

  it('says that no class names them', () => {
    fixture.result = compiledWith({ timeout: '5s' }, false)
    expect(fixture.conditions(stored({ timeout: '5s' }))[1]).to.equal('Programmed=False/Unused')
  })

  it('says that they are compiled and do not serve yet, under a pin for one', () => {
    fixture.served = { number: 6, atMs: 0 }
    expect(fixture.conditions(stored({ timeout: '5s' }))[1]).to.equal('Programmed=False/Pending')
    fixture.served = undefined
    expect(fixture.plan(stored({ timeout: '5s' }))).not.to.have.property('lastPublishTime')
  })

  it('takes a status of any shape for one to be written over', () => {
    for (const conditions of ['text', [1, null, {}], {}]) {
      expect(fixture.conditions(stored({ timeout: '5s' }, { conditions }))).to.have.lengthOf(2)
    }
  })
})
