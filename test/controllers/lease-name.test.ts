import { expect } from 'chai'
import { type LeaseNameSettings, leaseNameOf } from '../../src/controllers/lease-name.ts'

const PLAIN: LeaseNameSettings = {
  controllerName: 'ramjet.dev/ingress',
  ingressClass: 'ramjet',
  ingressClassGiven: false,
  watchNamespaces: undefined,
  namespaceSelector: undefined,
}

describe('the name of the Lease (R30-41)', () => {
  it('is made of the controller, and of the class where that was given', () => {
    expect(leaseNameOf(PLAIN)).to.equal('ramjet-ramjet.dev-ingress')
    expect(leaseNameOf({ ...PLAIN, ingressClass: 'edge', ingressClassGiven: true })).to.equal(
      'ramjet-ramjet.dev-ingress-edge',
    )
  })

  it('has another name for another controller, class or part of the cluster (R70-91)', () => {
    const names = [
      PLAIN,
      { ...PLAIN, controllerName: 'ramjet.dev/other' },
      { ...PLAIN, ingressClassGiven: true },
      { ...PLAIN, watchNamespaces: ['a'] },
      { ...PLAIN, watchNamespaces: ['a', 'b'] },
      { ...PLAIN, namespaceSelector: 'team=a' },
    ].map(leaseNameOf)
    expect(new Set(names).size).to.equal(names.length)
  })

  it('does not depend on the order of namespaces, nor on one that is named twice', () => {
    const names = [
      ['a', 'b'],
      ['b', 'a'],
      ['b', 'a', 'b'],
    ].map((watchNamespaces) => leaseNameOf({ ...PLAIN, watchNamespaces }))
    expect(new Set(names).size).to.equal(1)
    expect(names[0]).to.match(/^ramjet-ramjet\.dev-ingress-[0-9a-f]{8}$/)
  })

  it('is one that the API takes, whatever the controller is called, and still its own', () => {
    const odd = leaseNameOf({ ...PLAIN, controllerName: 'ramjet.dev/Edge_1' })
    expect(odd).to.match(/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/)
    expect(odd).not.to.equal(leaseNameOf({ ...PLAIN, controllerName: 'ramjet.dev/edge_1' }))
  })
})
