import { expect } from 'chai'
import type { MeasuredSlot } from '../../bench/load/interleaved.ts'
import { type Arrangement, ratioGoals, ratioTable, rawFigures } from '../../bench/load/ratio-report.ts'

const ARRANGEMENT: Arrangement = {
  name: '64 connections',
  unit: 'request',
  targets: new Map([['wire', { rule: 'R60-28', atMost: 0.9 }]]),
  tail: { of: 'p99Ms', targets: new Map([['wire', { rule: 'R60-30', atMost: 1 }]]) },
}

function slotOf(contender: string, round: number, figure: number, p99Ms: number): MeasuredSlot {
  const latency = { p50Ms: 1, p99Ms, p999Ms: 9 }
  return {
    contender,
    round,
    figure,
    units: 1000,
    perSecond: 1000,
    ...latency,
    faults: 0,
    calibration: 50,
    foreignCores: 0,
  }
}

const SLOTS = Array.from({ length: 25 }, (_none, round) => round).flatMap((round) => [
  slotOf('nginx', round, 20, 4),
  slotOf('wire', round, 16, 5),
])

describe('the report of a benchmark of ratios', () => {
  it('judges CPU time and tail each by its own target (R60-30)', () => {
    const goals = ratioGoals(ARRANGEMENT, SLOTS).map(({ rule, what, measured, verdict }) => ({
      rule,
      what,
      measured,
      verdict,
    }))
    expect(goals).to.deep.equal([
      { rule: 'R60-28', what: 'wire, 64 connections', measured: 0.8, verdict: 'holds' },
      { rule: 'R60-30', what: 'wire, p99, 64 connections', measured: 1.25, verdict: 'fails' },
    ])
  })

  it('shows rate and latency beside the ratio, and names no goal of a contender that did not run (R60-11)', () => {
    const { heads, rows } = ratioTable(ARRANGEMENT, SLOTS)
    expect(heads.slice(-4)).to.deep.equal(['requests/s', 'p50 ms', 'p99 ms', 'p99.9 ms'])
    expect(rows.map((row) => row.length)).to.deep.equal([heads.length, heads.length])
    expect(
      ratioGoals(
        ARRANGEMENT,
        SLOTS.filter(({ contender }) => contender === 'nginx'),
      ),
    ).to.deep.equal([])
  })

  it('keeps every slot with its calibration (R60-8)', () => {
    const raw = rawFigures(ARRANGEMENT, SLOTS)
    expect(raw['64 connections, wire: CPU us']).to.have.length(25)
    expect(raw['64 connections, wire: calibration ns']).to.include(50)
    expect(raw['64 connections, wire: foreign cores']).to.have.length(25)
  })
})
