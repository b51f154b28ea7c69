import { expect } from 'chai'
import { CounterColumn } from '../../src/dataplane/counter-column.ts'
import { SEGMENT_ROWS } from '../../src/dataplane/counter-layout.ts'
import { CounterMatrix } from '../../src/dataplane/counters.ts'
import { DURATION_BUCKETS, PROCESS_FIELDS, SLOT_FIELDS } from '../../src/model/counters.ts'

function columnsOf(matrix: CounterMatrix, count: number): CounterColumn[] {
  return Array.from({ length: count }, () => {
    const column = new CounterColumn(matrix.memory, matrix.takeColumn() ?? Number.NaN)
    column.addSegments(matrix.segments)
    return column
  })
}

describe('CounterMatrix', () => {
  it('sums each field of a row over all columns', () => {
    const matrix = new CounterMatrix(3)
    const [first, second] = [matrix.giveRow(), matrix.giveRow()]
    const columns = columnsOf(matrix, 3)
    for (const [index, column] of columns.entries()) {
      for (const [at, field] of SLOT_FIELDS.entries()) column.add(first, field, 10 ** at * (index + 1))
    }
    expect(matrix.totals(first)).to.deep.equal({
      requests: 6,
      errors5xx: 60,
      latencyCount: 600,
      latencyMsSum: 6_000,
      inFlight: 60_000,
      ejections: 600_000,
    })
    expect(matrix.totals(second).requests).to.equal(0)
  })

  it('grows by segments that are appended, and no count is lost (R00-16)', () => {
    const matrix = new CounterMatrix(1)
    const row = matrix.giveRow()
    const [column] = columnsOf(matrix, 1)
    column?.add(row, 'requests', 1)
    const before = matrix.segments.length
    let last = row
    for (let given = 0; given < SEGMENT_ROWS; given += 1) last = matrix.giveRow()
    expect(matrix.segments.length).to.equal(before + 1)
    column?.addSegments(matrix.segments.slice(before))
    column?.add(last, 'requests', 2)
    column?.add(row, 'requests', 1)
    expect([matrix.totals(row).requests, matrix.totals(last).requests]).to.deep.equal([2, 2])
  })

  it('keeps totals of a worker that ended, clears what it had open, and gives its column away (R00-15)', () => {
    const matrix = new CounterMatrix(1)
    const row = matrix.giveRow()
    const [ended] = columnsOf(matrix, 1)
    ended?.add(row, 'requests', 5)
    ended?.add(row, 'inFlight', 3)
    ended?.addProcess('requests', 5)
    ended?.addProcess('activeConnections', 2)
    expect(matrix.takeColumn()).to.equal(undefined)
    matrix.returnColumn(0)
    expect(matrix.totals(row)).to.include({ requests: 5, inFlight: 0 })
    const [successor] = columnsOf(matrix, 1)
    successor?.add(row, 'requests', 1)
    expect(matrix.totals(row).requests).to.equal(6)
    expect(matrix.processTotals().fields).to.include({ requests: 5, activeConnections: 0 })
  })

  it('shows every worker what is in flight over all of them', () => {
    const matrix = new CounterMatrix(4)
    const row = matrix.giveRow()
    const [one, two] = columnsOf(matrix, 2)
    one?.add(row, 'inFlight', 2)
    two?.add(row, 'inFlight', 1)
    expect([one?.inFlight(row), two?.inFlight(row), matrix.inFlight(row)]).to.deep.equal([3, 3, 3])
  })

  it('counts nothing for a slot that it does not know', () => {
    const matrix = new CounterMatrix(1)
    const [column] = columnsOf(matrix, 1)
    column?.add(Number.NaN, 'requests', 1)
    column?.add(SEGMENT_ROWS, 'requests', 1)
    expect(column?.inFlight(SEGMENT_ROWS)).to.equal(0)
  })

  it('has a cell of its own for every field of the process', () => {
    const matrix = new CounterMatrix(2)
    const columns = columnsOf(matrix, 2)
    for (const column of columns) for (const [at, field] of PROCESS_FIELDS.entries()) column.addProcess(field, at + 1)
    const { fields } = matrix.processTotals()
    expect(PROCESS_FIELDS.map((field) => fields[field])).to.deep.equal(PROCESS_FIELDS.map((_field, at) => 2 * (at + 1)))
  })

  it('puts an observation into the first bucket that holds it (R34-8)', () => {
    const matrix = new CounterMatrix(2)
    const columns = columnsOf(matrix, 2)
    for (const seconds of [0, 0.001, 0.0011, 10, 10.1]) columns[0]?.observe('requestDuration', seconds)
    columns[1]?.observe('requestDuration', 0.3)
    const { requestDuration, upstreamLatency } = matrix.processTotals().histograms
    expect(requestDuration.cumulative).to.deep.equal([2, 3, 3, 3, 3, 3, 3, 4, 4, 4, 4, 5, 6])
    expect(requestDuration.cumulative).to.have.length(DURATION_BUCKETS.length + 1)
    expect(requestDuration.count).to.equal(6)
    expect(requestDuration.sumSeconds).to.be.closeTo(20.4021, 1e-9)
    expect(upstreamLatency).to.include({ count: 0, sumSeconds: 0 })
  })
})
