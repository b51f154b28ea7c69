import { expect } from 'chai'
import type { Goal } from '../../bench/bench.ts'
import { missingPrograms } from '../../bench/contenders/installed.ts'
import { reportText } from '../../bench/report-text.ts'
import type { BenchResult } from '../../bench/result-file.ts'
import { readSurroundings } from '../../bench/surroundings.ts'

const LOST: Goal = { rule: 'R60-38', what: 'lost requests', atMost: 0, measured: 3, unit: '' }
const SLOWER: Goal = {
  rule: 'R60-38',
  what: 'throughput',
  atMost: 1 / 0.98,
  measured: 1.5,
  unit: 'x',
  verdict: 'undecided',
}
const SMALL: Goal = { rule: 'R60-39', what: 'a connection', atMost: 4, measured: 3.91, unit: 'KiB' }

function result(overrides: readonly string[]): BenchResult {
  return {
    name: 'churn',
    about: '',
    command: '',
    overrides,
    startedAt: '',
    seconds: 1,
    foreignCores: undefined,
    surroundings: readSurroundings(),
    goals: [LOST, SLOWER, SMALL],
    tables: [],
    raw: {},
  }
}

describe('the report of a benchmark', () => {
  it('names what is missed and what is undecided, in figures that people read (R60-4)', () => {
    const lines = reportText(result([]), 'bench/results/churn.json').split('\n')
    expect(lines).to.include('missed: lost requests: 3, at most 0 (R60-38)')
    expect(lines).to.include('undecided: throughput: 1.50 x, at most 1.02 x (R60-38)')
    expect(lines.join('\n')).to.not.include('a connection')
    expect(lines.at(-1)).to.equal('kept in bench/results/churn.json')
  })

  it('judges no goal by a smoke, and says so (R60-10)', () => {
    const text = reportText(result(['--smoke']), 'bench/results/scratch/churn.json')
    expect(text).to.include('no goal is judged by it')
    expect(text).to.not.match(/missed|undecided/)
  })
})

describe('programs that a benchmark needs', () => {
  it('are named where they are nowhere (R60-9)', () => {
    expect(missingPrograms(['sh', 'no-such-program'])).to.deep.equal(['no-such-program'])
  })
})
