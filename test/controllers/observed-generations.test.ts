import { expect } from 'chai'
import type { Ingress } from '../../src/api/networking.ts'
import {
  type DueIngresses,
  type ObservedGenerationMode,
  ObservedGenerations,
} from '../../src/controllers/observed-generations.ts'
import type { Generation } from '../../src/model/generation.ts'
import { ingress } from '../builders/ingress.ts'
import { prefix, routeTable, virtualHost } from '../builders/route-table.ts'
import { FakeClock } from '../fakes/clock.ts'

const KEY = 'ramjet.dev/observed-generation'

/** Of a host for each Ingress; `text` is a digest, and the path of the first one. */
function generation(number: number, text: string, names: readonly string[] = ['a', 'b', 'c']): Generation {
  const hosts = names.map((name, index) => {
    const origin = { kind: 'Ingress', namespace: 'shop', name, rule: '0/0' }
    return virtualHost(`${name}.example`, [prefix(index === 0 ? `/${text}` : '/', { origin })])
  })
  return { number, digest: text, routes: routeTable(hosts, { digest: text }), warnings: [] }
}

const included = (...names: readonly string[]): ReadonlySet<string> => new Set(names.map((name) => `shop/${name}`))
const ABC = included('a', 'b', 'c')
const NOTHING = { noted: undefined, kept: [] }

function withNumber(number: number | string | undefined): Ingress {
  const object = ingress('shop/a').build()
  const annotations = number === undefined ? {} : { [KEY]: String(number) }
  return { ...object, metadata: { ...object.metadata, annotations } }
}

const namesIn = (keys: ReadonlySet<string>): readonly string[] => [...keys].map((key) => key.slice(5)).toSorted()
const names = ({ all }: DueIngresses): readonly string[] => namesIn(all)

describe('ObservedGenerations', () => {
  let clock: FakeClock
  let observed: ObservedGenerations

  function make(mode: ObservedGenerationMode = 'all'): void {
    clock = new FakeClock()
    observed = new ObservedGenerations({ mode, contestWindowMs: 300_000, clock })
  }

  beforeEach(() => make())

  function write(key: string): number | undefined {
    const number = observed.wanted(key, withNumber(undefined))
    if (number !== undefined) {
      observed.sending(key, number)
      observed.wrote(key, number)
    }
    return number
  }

  it('are the newest number on all that are included, and settled when all were written (R30-15, R30-35)', () => {
    expect(names(observed.begin(generation(7, 'x'), ABC, NOTHING))).to.deep.equal(['a', 'b', 'c'])
    expect(observed.wanted('shop/dropped', withNumber(undefined))).to.equal(undefined)
    expect([write('shop/a'), write('shop/b')]).to.deep.equal([7, 7])
    expect(observed.settled).to.equal(undefined)
    write('shop/c')
    expect(observed.settled).to.deep.equal({ number: 7, digest: 'x' })
    expect(names(observed.compiled(generation(8, 'y'), ABC))).to.deep.equal(['a', 'b', 'c'])
    expect([write('shop/a'), observed.settled]).to.deep.equal([8, undefined])
  })

  it('are not written where they are there already', () => {
    observed.begin(generation(7, 'x'), included('a'), NOTHING)
    expect(observed.wanted('shop/a', withNumber(7))).to.equal(undefined)
    expect(observed.settled).to.deep.equal({ number: 7, digest: 'x' })
  })

  it('are nothing new for a leader whose configuration was written before, under the number of then (R30-15)', () => {
    const base = { noted: { number: 42, digest: 'x' }, kept: [] }
    expect(names(observed.begin(generation(3, 'x'), ABC, base))).to.deep.equal([])
    expect(observed.settled).to.deep.equal({ number: 42, digest: 'x' })
    expect(write('shop/a')).to.equal(undefined)
    expect(names(observed.compiled(generation(3, 'x'), included('a', 'b', 'c', 'd')))).to.deep.equal(['d'])
    expect(write('shop/d')).to.equal(42)
    expect(names(observed.compiled(generation(43, 'y'), ABC))).to.deep.equal(['a', 'b', 'c'])
    expect(write('shop/a')).to.equal(43)
  })

  it('tell whose own routes changed, or who is served anew, whatever else is to be written (R30-31)', () => {
    const begun = observed.begin(generation(1, 'x'), ABC, NOTHING)
    expect([names(begun), namesIn(begun.own)]).to.deep.equal([['a', 'b', 'c'], []])
    const edited = observed.compiled(generation(2, 'y'), ABC)
    expect([names(edited), namesIn(edited.own)]).to.deep.equal([['a', 'b', 'c'], ['a']])
    const more = observed.compiled(generation(3, 'y', ['a', 'b', 'c', 'd']), included('a', 'b', 'c', 'd'))
    expect(namesIn(more.own)).to.deep.equal(['d'])
  })

  it('with changed, are written where own routes changed or it is served anew (R30-35)', () => {
    make('changed')
    expect(names(observed.begin(generation(1, 'x'), ABC, NOTHING))).to.deep.equal(['a', 'b', 'c'])
    expect(names(observed.compiled(generation(2, 'y'), ABC))).to.deep.equal(['a'])
    const more = included('a', 'b', 'c', 'd')
    expect(names(observed.compiled(generation(3, 'y2', ['a', 'b', 'c', 'd']), more))).to.deep.equal(['a', 'd'])
  })

  it('with changed, are for a new leader those since the digest on the Lease, where it is kept, else all', () => {
    make('changed')
    const noted = { number: 9, digest: 'x' }
    const kept = [generation(1, 'x'), generation(2, 'y')]
    expect(names(observed.begin(generation(10, 'y'), ABC, { noted, kept }))).to.deep.equal(['a'])
    make('changed')
    expect(names(observed.begin(generation(10, 'y'), ABC, { noted, kept: [] }))).to.deep.equal(['a', 'b', 'c'])
  })

  it('with auto, are all while at most 200 are managed, else those that changed', () => {
    for (const [count, want] of [
      [200, 200],
      [201, 1],
    ] as const) {
      make('auto')
      const all = Array.from({ length: count }, (_none, index) => `i${index}`)
      observed.begin(generation(1, 'x', all), included(...all), NOTHING)
      expect(observed.compiled(generation(2, 'y', all), included(...all)).all.size).to.equal(want)
    }
  })

  it('are let go with what is no longer included, or gone', () => {
    observed.begin(generation(1, 'x'), ABC, NOTHING)
    write('shop/a')
    observed.compiled(generation(1, 'x'), included('a', 'c'))
    observed.gone('shop/c')
    expect(observed.settled).to.deep.equal({ number: 1, digest: 'x' })
  })

  it('are not written again at once when somebody takes them away, but at the next edit or number (R30-36)', () => {
    observed.begin(generation(1, 'x'), included('a'), NOTHING)
    write('shop/a')
    observed.changed('shop/a', { before: withNumber(1), after: withNumber(undefined), isEdited: false })
    expect(write('shop/a')).to.equal(undefined)
    observed.changed('shop/a', { before: withNumber(undefined), after: withNumber(undefined), isEdited: true })
    expect(write('shop/a')).to.equal(1)
    observed.changed('shop/a', { before: withNumber(1), after: withNumber(undefined), isEdited: false })
    observed.compiled(generation(2, 'y'), included('a'))
    expect(write('shop/a')).to.equal(2)
  })

  function strip(number: number): boolean {
    observed.compiled(generation(number, `d${number}`), included('a'))
    write('shop/a')
    return observed.changed('shop/a', { before: withNumber(number), after: withNumber(undefined), isEdited: false })
  }

  it('are given up after three strips within five minutes, and told (R30-36)', () => {
    observed.begin(generation(1, 'x'), included('a'), NOTHING)
    expect([strip(2), strip(3), observed.warnings().length]).to.deep.equal([false, false, 0])
    expect(strip(4)).to.equal(true)
    expect(observed.warnings().map(({ reason, object, field }) => [reason, object.name, field])).to.deep.equal([
      ['ObservedGenerationContested', 'a', KEY],
    ])
    observed.compiled(generation(5, 'd5'), included('a'))
    expect([write('shop/a'), observed.settled?.number]).to.deep.equal([undefined, 5])
    observed.gone('shop/a')
    expect(observed.warnings()).to.deep.equal([])
  })

  it('survive strips that are further apart', () => {
    observed.begin(generation(1, 'x'), included('a'), NOTHING)
    for (let number = 2; number < 9; number += 1) {
      expect(strip(number)).to.equal(false)
      clock.advance(150_001)
    }
  })

  it('take our own writes for no strips, whichever comes first, the answer or the event', () => {
    observed.begin(generation(1, 'x'), included('a'), NOTHING)
    write('shop/a')
    for (let number = 2; number < 9; number += 1) {
      observed.compiled(generation(number, `d${number}`), included('a'))
      observed.sending('shop/a', number)
      const ours = { before: withNumber(number - 1), after: withNumber(number), isEdited: false }
      expect(observed.changed('shop/a', ours)).to.equal(false)
      observed.wrote('shop/a', number)
    }
    expect(observed.warnings()).to.deep.equal([])
  })
})
