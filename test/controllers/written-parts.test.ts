import { expect } from 'chai'
import type { Ingress, LoadBalancerAddress } from '../../src/api/networking.ts'
import { type AddressPartDeps, addressPart, sortAddresses } from '../../src/controllers/written-parts.ts'
import { ingress } from '../builders/ingress.ts'
import { ingressClass } from '../builders/ingress-class.ts'
import { cacheOf } from '../fakes/lister.ts'

const OURS: readonly LoadBalancerAddress[] = [{ ip: '192.0.2.1' }, { ip: '192.0.2.2' }]
const OBSERVED = { 'ramjet.dev/observed-generation': '7' }

interface Facts {
  readonly addresses?: readonly LoadBalancerAddress[] | undefined
  readonly claimed?: boolean | undefined
  readonly wasClaimed?: boolean
  readonly className?: string | undefined
  readonly annotations?: Readonly<Record<string, string>>
  readonly on?: readonly LoadBalancerAddress[]
  readonly isLeaving?: boolean
}

/** The addresses that are written onto an Ingress of which these things are true; `undefined`: nothing is. */
function written(facts: Facts): unknown {
  const { wasClaimed = false, annotations = {}, on, isLeaving = false } = facts
  const deps: AddressPartDeps = {
    addresses: () => ('addresses' in facts ? facts.addresses : OURS),
    claimed: () => {
      if ('claimed' in facts && facts.claimed === undefined) return undefined
      return new Set(facts.claimed === true ? ['shop/web'] : [])
    },
    wasClaimed: () => wasClaimed,
    classes: cacheOf([ingressClass('ramjet')]),
    isLeaving: () => isLeaving,
  }
  const built = ingress('shop/web').build()
  const object: Ingress = {
    ...built,
    metadata: { ...built.metadata, annotations },
    spec: facts.className === undefined ? {} : { ingressClassName: facts.className },
    ...(on ? { addresses: on } : {}),
  }
  const patch = addressPart(deps).plan('shop/web', object)
  if (!patch) return undefined
  expect(patch.target).to.equal('status')
  return (patch.body['status'] as { loadBalancer: { ingress: unknown } }).loadBalancer.ingress
}

describe('addressPart (R30-37, R30-38)', () => {
  it('writes what is lacking, and nothing that is there, whatever its order', () => {
    expect(written({ claimed: true })).to.deep.equal(OURS)
    expect(written({ claimed: true, on: [{ ip: '192.0.2.9' }] })).to.deep.equal(OURS)
    expect(written({ claimed: true, on: OURS.toReversed() })).to.equal(undefined)
  })

  it('clears what a Service without addresses no longer has', () => {
    expect(written({ claimed: true, addresses: [], on: OURS })).to.equal(null)
    expect(written({ claimed: true, addresses: [] })).to.equal(undefined)
  })

  it('touches nothing while addresses are not known, or before the first compile', () => {
    expect(written({ claimed: true, addresses: undefined, on: OURS })).to.equal(undefined)
    expect(written({ claimed: undefined, on: OURS, annotations: OBSERVED })).to.equal(undefined)
  })

  const CLEARED: readonly (readonly [words: string, facts: Facts])[] = [
    ['no class any more', {}],
    ['a class that does not exist', { className: 'gone' }],
  ]
  for (const [words, facts] of CLEARED) {
    it(`clears our addresses of an Ingress that was ours and has ${words}, also after a restart`, () => {
      expect(written({ ...facts, on: OURS, wasClaimed: true })).to.equal(null)
      expect(written({ ...facts, on: OURS, annotations: OBSERVED })).to.equal(null)
    })
  }

  const KEPT: readonly (readonly [words: string, facts: Facts])[] = [
    ['was never ours', { on: OURS }],
    ['has a class that exists, whoever serves it', { on: OURS, wasClaimed: true, className: 'ramjet' }],
    ['carries addresses of somebody else', { on: [{ ip: '198.51.100.1' }], wasClaimed: true }],
    [
      'names a class by the old annotation',
      { on: OURS, wasClaimed: true, annotations: { 'kubernetes.io/ingress.class': 'nginx' } },
    ],
    ['has none', { wasClaimed: true }],
  ]
  for (const [words, facts] of KEPT) {
    it(`leaves an Ingress alone that is not ours and ${words}`, () => expect(written(facts)).to.equal(undefined))
  }

  it('takes our addresses away when the last replica leaves, and those of nobody else', () => {
    expect(written({ claimed: true, on: OURS, isLeaving: true })).to.equal(null)
    expect(written({ claimed: true, on: [{ ip: '198.51.100.1' }], isLeaving: true })).to.equal(undefined)
  })
})

describe('sortAddresses', () => {
  it('gives each address once and in one order', () => {
    const mixed = [{ hostname: 'b.example' }, { ip: '192.0.2.2' }, { hostname: 'a.example' }, { ip: '192.0.2.2' }]
    const sorted = sortAddresses(mixed)
    expect(sorted).to.have.deep.members([{ ip: '192.0.2.2' }, { hostname: 'a.example' }, { hostname: 'b.example' }])
    expect(sortAddresses(mixed.toReversed())).to.deep.equal(sorted)
  })
})
