import { expect } from 'chai'
import { ObjectEvents } from '../../src/controllers/object-events.ts'
import type { Warning } from '../../src/model/warning.ts'
import type { EventInput } from '../../src/runtime/event-recorder.ts'
import { ingress } from '../builders/ingress.ts'
import { ingressClass } from '../builders/ingress-class.ts'
import { cacheOf } from '../fakes/lister.ts'

const API = 'networking.k8s.io/v1'

function found(reason: Warning['reason'], message: string, over: Partial<Warning> = {}): Warning {
  return { reason, object: { kind: 'Ingress', namespace: 'shop', name: 'web' }, field: 'spec', message, ...over }
}

describe('ObjectEvents', () => {
  let told: EventInput[]
  let events: ObjectEvents

  beforeEach(() => {
    told = []
    const ingresses = cacheOf([ingress('shop/web').build(), ingress('shop/other').build()])
    const classes = cacheOf([ingressClass('ramjet'), ingressClass('edge')])
    events = new ObjectEvents({
      record: (event) => told.push(event),
      kinds: new Map([
        ['Ingress', { apiVersion: API, lister: ingresses }],
        ['IngressClass', { apiVersion: API, lister: classes }],
      ]),
    })
  })

  const notes = (): readonly string[] => told.splice(0).map(({ reason, note }) => `${reason}: ${note}`)

  it('tell nothing while another replica leads, and everything there is when this one begins to (R30-26, R30-29)', () => {
    events.update([found('InvalidHost', 'a')])
    events.ofClasses('ConfigApplied', 'gen 1->2')
    expect(notes()).to.deep.equal([])
    events.begin()
    expect(notes()).to.deep.equal(['InvalidHost: a'])
    events.end()
    events.update([found('InvalidHost', 'b')])
    expect(notes()).to.deep.equal([])
    events.begin()
    expect(notes()).to.deep.equal(['InvalidHost: b'])
  })

  it('tell only what is new about an object, and again what came back', () => {
    events.begin()
    events.update([found('InvalidHost', 'a'), found('InvalidPath', 'p')])
    expect(notes()).to.deep.equal(['InvalidHost: a', 'InvalidPath: p'])
    events.update([found('InvalidPath', 'p'), found('InvalidHost', 'a')])
    events.update([found('InvalidHost', 'a')])
    expect(notes()).to.deep.equal([])
    events.update([found('InvalidHost', 'a'), found('InvalidPath', 'p')])
    expect(notes()).to.deep.equal(['InvalidPath: p'])
  })

  it('tell several findings of one reason as one', () => {
    events.begin()
    events.update([found('UnknownAnnotation', 'x'), found('UnknownAnnotation', 'y', { field: 'other' })])
    expect(notes()).to.deep.equal(['UnknownAnnotation: x. y'])
  })

  it('name the object as the API server knows it, with type and verb (R13-10)', () => {
    events.begin()
    events.update([found('UndecodableObject', 'bad')])
    const [event] = told
    expect(event).to.deep.include({ type: 'Warning', action: 'Read' })
    expect(event?.regarding).to.deep.include({ apiVersion: API, kind: 'Ingress', namespace: 'shop', name: 'web' })
    expect(event?.regarding.uid).to.equal(ingress('shop/web').build().metadata.uid)
  })

  it('say nothing of what the log alone has, and of objects that are not there', () => {
    events.begin()
    events.update([
      found('EndpointsMissing', 'none'),
      found('InvalidHost', 'not ours', { channel: 'log' }),
      found('InvalidHost', 'gone', { object: { kind: 'Ingress', namespace: 'shop', name: 'gone' } }),
      found('KindForbidden', 'no', { object: { kind: 'Process', namespace: '', name: '' } }),
    ])
    expect(notes()).to.deep.equal([])
  })

  it('tell of each class once that it was claimed, and of decisions on all of them (R30-22, R30-27)', () => {
    events.claimed(['ramjet'])
    events.begin()
    events.claimed(['ramjet', 'edge'])
    expect(told.map(({ reason, regarding }) => `${reason} ${regarding.name}`)).to.deep.equal([
      'Accepted ramjet',
      'Accepted edge',
    ])
    expect(told[0]).to.deep.include({ type: 'Normal', action: 'Claim' })
    expect(told[0]?.regarding).not.to.have.property('namespace')
    told = []
    events.ofClasses('ConfigRejected', 'port')
    expect(told.map(({ reason, type, regarding }) => [reason, type, regarding.name])).to.deep.equal([
      ['ConfigRejected', 'Warning', 'ramjet'],
      ['ConfigRejected', 'Warning', 'edge'],
    ])
  })
})
