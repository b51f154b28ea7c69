import { expect } from 'chai'
import { History, type HistoryRecord } from '../../src/generations/history.ts'

function applied(number: number): HistoryRecord {
  return { number, digest: `digest ${number}`, atMs: number, outcome: { kind: 'applied' } }
}

function rejected(number: number): HistoryRecord {
  return { ...applied(number), outcome: { kind: 'rejected', reason: 'other', message: 'refused' } }
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
    expect(numbersIn(history)).to.deep.equal([1, 2])
    history.add(applied(2))
    expect(history.records().map(({ outcome }) => outcome.kind)).to.deep.equal(['applied', 'applied'])
  })
})
