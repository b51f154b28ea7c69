import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { type LeaseNameSettings, leaseNameOf } from '../../src/controllers/lease-name.ts'

const PLAIN: LeaseNameSettings = {
  controllerName: 'ramjet.dev/ingress',
  ingressClass: 'ramjet',
  ingressClassGiven: false,
  watchNamespaces: undefined,
  namespaceSelector: undefined,
}

const named = (over: Partial<LeaseNameSettings>): string => leaseNameOf({ ...PLAIN, ...over })

describe('leaseNameOf (R30-41)', () => {
  it('is ramjet- and the controller, the class where it was given', () => {
    expect(named({})).to.equal('ramjet-ramjet.dev-ingress')
    expect(named({ ingressClass: 'edge' })).to.equal('ramjet-ramjet.dev-ingress')
    expect(named({ ingressClass: 'edge', ingressClassGiven: true })).to.equal('ramjet-ramjet.dev-ingress-edge')
  })

  it('has 8 hex digits more where the install is narrowed, the same for the same names in any order', () => {
    const two = named({ watchNamespaces: ['b', 'a', 'b'] })
    expect(two).to.match(/^ramjet-ramjet\.dev-ingress-[0-9a-f]{8}$/)
    expect(named({ watchNamespaces: ['a', 'b'] })).to.equal(two)
    const sha = createHash('sha256')
      .update(JSON.stringify([['a', 'b'], '']))
      .digest('hex')
    expect(two.endsWith(sha.slice(0, 8))).to.equal(true)
  })

  it('differs for every other narrowing', () => {
    const names = [
      named({}),
      named({ watchNamespaces: ['a'] }),
      named({ watchNamespaces: ['a', 'b'] }),
      named({ watchNamespaces: ['a,b'] }),
      named({ namespaceSelector: 'team=x' }),
      named({ namespaceSelector: 'team=x', watchNamespaces: ['a'] }),
    ]
    expect(new Set(names).size).to.equal(names.length)
  })

  it('is a name that the API takes, whatever the controller is called, and never that of another one', () => {
    const names = ['a.example/B', 'a.example/b', 'a.example/~b', `a.example/${'x'.repeat(250)}`].map((controllerName) =>
      named({ controllerName }),
    )
    for (const name of names) expect(name).to.match(/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/)
    expect(new Set(names).size).to.equal(names.length)
  })
})
