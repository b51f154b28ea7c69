import { expect } from 'chai'
import { factsOf, History, type HistoryRecord } from '../../src/generations/history.ts'
import { NO_DIFF } from '../../src/model/generation-diff.ts'
import { asPair, tablesOf } from '../builders/pair.ts'

function applied(number: number): HistoryRecord {
  const facts = {
    number,
    digest: `digest ${number}`,
    previous: number - 1,
    routes: 1,
    hosts: 1,
    certificates: 0,
    diff: NO_DIFF,
  }
  return { ...facts, atMs: number, outcome: { kind: 'applied' } }
}

function rejected(number: number): HistoryRecord {
  return { ...applied(number), outcome: { kind: 'rejected', reason: 'other', message: 'refused' } }
}

function held(number: number): HistoryRecord {
  return { ...applied(number), outcome: { kind: 'held' } }
}

function numbersIn(history: History): number[] {
  return history.records().map(({ number }) => number)
}

describe('History', () => {
  it('keeps the last records of each outcome, newest first (R30-16)', () => {
    const history = new History(2)
    for (const record of [applied(1), applied(2), rejected(3), applied(4), rejected(5), rejected(6)])
      history.add(record)
    expect(numbersIn(history)).to.deep.equal([6, 5, 4, 2])
  })

  it('has one record for a generation that is applied or refused again', () => {
    const history = new History(3)
    for (const record of [applied(1), rejected(2), rejected(2), applied(1)]) history.add(record)
    expect(numbersIn(history)).to.deep.equal([2, 1])
    history.add(applied(2))
    expect(history.records().map(({ outcome }) => outcome.kind)).to.deep.equal(['applied', 'applied'])
  })

  it('lets what a pin holds back put out nothing that served', () => {
    const history = new History(2)
    for (const record of [applied(1), applied(2), held(3), held(4), held(5)]) history.add(record)
    expect(numbersIn(history)).to.deep.equal([5, 4, 2, 1])
  })

  it('finds the record of a generation, by its new number too (R30-15)', () => {
    const history = new History(2)
    history.add(applied(1))
    history.renumber(1, 41)
    expect(history.find(1)).to.equal(undefined)
    expect(history.find(41)).to.include({ digest: 'digest 1', previous: 0 })
  })
})

describe('factsOf', () => {
  it('counts hosts and routes, the default route included', () => {
    const { generation } = asPair(tablesOf({ 'a.example': [], 'b.example': [] }, { fallbackTo: 'a.example' }))
    expect(factsOf(generation, undefined, NO_DIFF)).to.include({ number: 1, previous: 0, routes: 3, hosts: 2 })
  })
})
