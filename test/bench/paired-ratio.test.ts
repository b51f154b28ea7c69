import { expect } from 'chai'
import { judge, pairedRatio, quietSlots, type Slot } from '../../bench/paired-ratio.ts'

const QUIET = { calibration: 100, foreignCores: 0 }

function rounds(count: number, figureOf: (round: number) => number): readonly Slot[] {
  return Array.from({ length: count }, (_slot, round) => round).flatMap((round) => [
    { contender: 'peer', round, figure: 100, ...QUIET },
    { contender: 'ours', round, figure: figureOf(round), ...QUIET },
  ])
}

describe('paired ratios', () => {
  it('compares within a round, and not the means of a run (R60-3)', () => {
    const slots = rounds(30, () => 90).map((slot) => ({ ...slot, figure: slot.figure * (slot.round + 1) }))
    expect(pairedRatio(slots, 'ours', 'peer')).to.include({ median: 0.9, pairs: 30 })
  })

  it('leaves out what was disturbed, by calibration or by others (R60-2)', () => {
    const slots: Slot[] = [
      { contender: 'ours', round: 0, figure: 1, calibration: 100, foreignCores: 0 },
      { contender: 'ours', round: 1, figure: 1, calibration: 121, foreignCores: 0 },
      { contender: 'ours', round: 2, figure: 1, calibration: 119, foreignCores: 0.2 },
      { contender: 'ours', round: 3, figure: 1, calibration: 119, foreignCores: 0.05 },
    ]
    expect(quietSlots(slots).map(({ round }) => round)).to.deep.equal([0, 3])
  })

  it('scales a slot by its calibration where none is quiet', () => {
    const noisy = rounds(4, () => 90).map((slot) => ({
      ...slot,
      foreignCores: 1,
      ...(slot.contender === 'ours' ? { figure: 180, calibration: 200 } : {}),
    }))
    const ratio = pairedRatio(noisy, 'ours', 'peer')
    expect(ratio.scaled).to.equal(0.9)
    expect(ratio.median).to.deep.equal(Number.NaN)
  })

  for (const { title, slots, target, want } of [
    { title: 'holds where three quarters are below', slots: rounds(30, () => 90), target: 0.9, want: 'holds' },
    { title: 'fails where three quarters are above', slots: rounds(30, () => 95), target: 0.9, want: 'fails' },
    {
      title: 'is undecided where the quartiles lie on both sides',
      slots: rounds(30, (round) => 80 + (round % 3) * 10),
      target: 0.9,
      want: 'undecided',
    },
    { title: 'is undecided with fewer than 20 pairs', slots: rounds(19, () => 50), target: 0.9, want: 'undecided' },
  ]) {
    it(`a target ${title} (R60-4)`, () => {
      expect(judge(pairedRatio(slots, 'ours', 'peer'), target)).to.equal(want)
    })
  }
})
