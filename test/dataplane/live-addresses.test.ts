import { expect } from 'chai'
import { diffPairs } from '../../src/dataplane/delta.ts'
import { LiveAddresses } from '../../src/dataplane/live-addresses.ts'
import type { Pair } from '../../src/model/generation.ts'
import { pairOf, type Sites } from '../builders/pair.ts'

const [ONE, TWO, THREE] = ['192.0.2.1:80', '192.0.2.2:80', '192.0.2.3:80'] as const

describe('LiveAddresses', () => {
  it('has the addresses of the pair that serves and no other, however often one stands there (R00-13)', () => {
    const live = new LiveAddresses()
    let before: Pair | undefined
    const steps: readonly (readonly [Sites, readonly string[]])[] = [
      [{ 'a.example': [ONE, TWO] }, [ONE, TWO]],
      [{ 'a.example': [ONE], 'b.example': [ONE, THREE] }, [ONE, THREE]],
      [{ 'b.example': [ONE] }, [ONE]],
      [{ 'b.example': [ONE, TWO] }, [ONE, TWO]],
      [{}, []],
    ]
    for (const [sites, want] of steps) {
      const pair = pairOf(sites)
      live.change(before?.endpoints.table, diffPairs(before, pair).endpoints)
      before = pair
      expect([ONE, TWO, THREE].filter((address) => live.has(address))).to.deep.equal(want)
    }
  })
})
