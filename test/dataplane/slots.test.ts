import { expect } from 'chai'
import { CounterColumn } from '../../src/dataplane/counter-column.ts'
import { CounterMatrix } from '../../src/dataplane/counters.ts'
import { type NameChange, type NameSpace, Slots } from '../../src/dataplane/slots.ts'

function change(name: string, by: number, space: NameSpace = 'configuration'): NameChange {
  return { space, name, by }
}

function holders(
  configuration: readonly number[],
  live: readonly number[] = configuration,
): Parameters<Slots['sweep']>[0] {
  return { configuration: new Set(configuration), live: new Set(live) }
}

function matrixAndSlots(): { matrix: CounterMatrix; slots: Slots; column: CounterColumn } {
  const matrix = new CounterMatrix(2)
  const column = new CounterColumn(matrix.memory, matrix.takeColumn() ?? 0)
  return { matrix, slots: new Slots(matrix), column }
}

function serve(slots: Slots, changes: readonly NameChange[], sequence: number): void {
  slots.prepare(changes)
  slots.commit(changes, sequence)
}

describe('Slots', () => {
  it('gives each name a row of its own, the same one as long as it is named', () => {
    const { slots } = matrixAndSlots()
    serve(slots, [change('a', 1), change('b', 1)], 1)
    const rows = [slots.rowOf('a'), slots.rowOf('b')]
    expect(new Set(rows).size).to.equal(2)
    serve(slots, [change('a', -1), change('a', 1)], 2)
    slots.sweep(holders([2]))
    expect([slots.rowOf('a'), slots.rowOf('b')]).to.deep.equal(rows)
  })

  it('keeps a row while a pair from which a request may choose names it (R00-16)', () => {
    const { slots } = matrixAndSlots()
    serve(slots, [change('a', 1)], 1)
    serve(slots, [change('a', -1)], 2)
    expect(slots.sweep(holders([1, 2]))).to.deep.equal([])
    expect(slots.sweep(holders([2]))).to.deep.equal(['a'])
    expect(slots.size).to.equal(0)
  })

  it('is held by pairs between its first and its last one only', () => {
    const { slots } = matrixAndSlots()
    serve(slots, [], 1)
    serve(slots, [change('a', 1)], 2)
    serve(slots, [change('a', -1)], 4)
    expect(slots.sweep(holders([3]))).to.deep.equal([])
    expect(slots.sweep(holders([1, 4, 5]))).to.deep.equal(['a'])
  })

  it('keeps a row while something is in flight in it', () => {
    const { matrix, slots, column } = matrixAndSlots()
    serve(slots, [change('a', 1)], 1)
    column.addSegments(matrix.segments)
    column.add(slots.rowOf('a') ?? Number.NaN, 'inFlight', 1)
    serve(slots, [change('a', -1)], 2)
    expect(slots.sweep(holders([2]))).to.deep.equal([])
    column.add(slots.rowOf('a') ?? Number.NaN, 'inFlight', -1)
    expect(slots.sweep(holders([2]))).to.deep.equal(['a'])
  })

  it('is not held by a kept generation where only live endpoints named it (R00-22)', () => {
    const { slots } = matrixAndSlots()
    serve(slots, [change('192.0.2.1:80', 1, 'live'), change('192.0.2.2:80', 1, 'live'), change('192.0.2.2:80', 1)], 1)
    serve(
      slots,
      [change('192.0.2.1:80', -1, 'live'), change('192.0.2.2:80', -1, 'live'), change('192.0.2.2:80', -1)],
      2,
    )
    expect(slots.sweep(holders([1, 2], [2]))).to.deep.equal(['192.0.2.1:80'])
  })

  it('takes back what a refused pair was given', () => {
    const { matrix, slots } = matrixAndSlots()
    slots.prepare([change('a', 1)])
    expect(matrix.rowsInUse).to.equal(1)
    expect(slots.sweep(holders([]))).to.deep.equal(['a'])
    expect(matrix.rowsInUse).to.equal(0)
  })

  it('starts a row at zero again for its next owner, whatever was counted before', () => {
    const { matrix, slots, column } = matrixAndSlots()
    serve(slots, [change('a', 1)], 1)
    column.addSegments(matrix.segments)
    const row = slots.rowOf('a') ?? Number.NaN
    column.add(row, 'requests', 7)
    column.add(row, 'latencyMsSum', 70)
    serve(slots, [change('a', -1)], 2)
    slots.sweep(holders([2]))
    serve(slots, [change('b', 1)], 3)
    expect(slots.rowOf('b')).to.equal(row)
    expect(matrix.totals(row)).to.include({ requests: 0, latencyMsSum: 0 })
    column.add(row, 'requests', 1)
    expect(matrix.totals(row)).to.include({ requests: 1 })
  })
})
