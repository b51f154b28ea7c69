import { expect } from 'chai'
import * as fc from 'fast-check'
import { type BucketedDigest, changeDigest, emptyDigest } from '../../src/lib/bucketed-digest.ts'

type Pairs = readonly (readonly [string, string])[]

const key = fc.string({ unit: fc.constantFrom('a', 'b', '/', ' ', '"', '\u00e9', '\u{1f600}'), maxLength: 6 })
const digest = fc.constantFrom('d1', 'd2', 'd3')
const pairs = fc.uniqueArray(fc.tuple(key, digest), { selector: ([name]) => name, maxLength: 60 })

function fromNothing(entries: Pairs): BucketedDigest {
  return changeDigest(emptyDigest(), new Map(entries))
}

describe('a bucketed digest (R00-8)', () => {
  it('does not depend on the order of elements', () => {
    const shuffled = pairs.chain((entries) =>
      fc.tuple(
        fc.constant(entries),
        fc.shuffledSubarray(entries, { minLength: entries.length, maxLength: entries.length }),
      ),
    )
    fc.assert(
      fc.property(shuffled, ([entries, other]) => {
        expect(fromNothing(other)).to.deep.equal(fromNothing(entries))
      }),
    )
  })

  it('is the same after changes as from nothing', () => {
    const change = fc.record({ set: pairs, removed: fc.array(key, { maxLength: 20 }) })
    fc.assert(
      fc.property(pairs, fc.array(change, { maxLength: 6 }), (first, changes) => {
        let built = fromNothing(first)
        const elements = new Map(first)
        for (const { set, removed } of changes) {
          built = changeDigest(built, new Map(set), removed)
          for (const name of removed) elements.delete(name)
          for (const [name, value] of set) elements.set(name, value)
        }
        expect(built).to.deep.equal(fromNothing([...elements]))
      }),
    )
  })

  it('differs where one element is gone, has another digest or another key', () => {
    fc.assert(
      fc.property(
        pairs.filter(({ length }) => length > 0),
        fc.nat(),
        (entries, chosen) => {
          const index = chosen % entries.length
          const [name] = entries[index] ?? ['']
          const rest = entries.filter((_, at) => at !== index)
          const others = [rest, [...rest, [name, 'd4'] as const], [...rest, [`${name}c`, 'd1'] as const]]
          const roots = [entries, ...others].map((one) => fromNothing(one).root)
          expect(new Set(roots).size).to.equal(roots.length)
        },
      ),
    )
  })

  it('tells which of key and digest a text is in', () => {
    const roots = [
      [['a', 'bc']],
      [['ab', 'c']],
      [
        ['a', 'b'],
        ['c', ''],
      ],
      [
        ['c', ''],
        ['a', 'bc'],
      ],
    ].map((entries) => fromNothing(entries as unknown as Pairs).root)
    expect(new Set(roots).size).to.equal(roots.length)
  })

  it('comes back itself where nothing really changes', () => {
    const built = fromNothing([
      ['a', '1'],
      ['b', '2'],
    ])
    expect(changeDigest(built, new Map())).to.equal(built)
    expect(changeDigest(built, new Map([['a', '1']]), ['not there'])).to.equal(built)
    expect(changeDigest(built, new Map([['a', '1']]), ['a'])).to.equal(built)
  })

  it('does not change what it was made from', () => {
    const built = fromNothing([['a', '1']])
    const { root } = built
    const changed = changeDigest(built, new Map([['a', '2']]))
    expect(changed.root).to.not.equal(root)
    expect(built.root).to.equal(root)
    expect(changeDigest(changed, new Map([['a', '1']])).root).to.equal(root)
  })

  it('costs a change its bucket alone', () => {
    const many = Array.from({ length: 2000 }, (_, index) => [`host h${index}.example`, `d${index}`] as const)
    const built = fromNothing(many)
    const changed = changeDigest(built, new Map([['host h7.example', 'new']]))
    const touched = changed.buckets.filter((bucket, index) => bucket !== built.buckets[index])
    expect(touched.length).to.equal(1)
    expect(touched[0]?.entries.length).to.be.below(40)
  })

  it('is that of no element after all were taken out', () => {
    const built = fromNothing([
      ['a', '1'],
      ['b', '2'],
    ])
    expect(changeDigest(built, new Map(), ['a', 'b'])).to.deep.equal(emptyDigest())
  })
})
