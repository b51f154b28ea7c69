import { expect } from 'chai'
import { readArguments, usageOf } from '../../bench/arguments.ts'

const NAMES = ['routes', 'propagation']
const read = (...argv: readonly string[]) => readArguments(argv, NAMES)

describe('arguments of a benchmark', () => {
  it('are a name and switches in any order', () => {
    const value = { name: 'routes', smoke: true, force: false, json: true, against: ['nginx', 'haproxy'] }
    expect(read('--json', '--against', 'nginx,haproxy', 'routes', '--smoke')).to.deep.equal({ ok: true, value })
  })

  it('ask for help', () => {
    expect(read('routes', '--help')).to.deep.equal({ ok: true, value: 'help' })
    expect(read('-h')).to.deep.equal({ ok: true, value: 'help' })
    for (const told of ['routes, propagation', '--against', '--smoke', '--force', '--json'])
      expect(usageOf(NAMES)).to.include(told)
  })

  const faults = [
    { argv: [], error: 'which benchmark?' },
    { argv: ['forward'], error: 'there is no benchmark forward' },
    { argv: ['routes', 'propagation'], error: 'one benchmark at a time: propagation is too much' },
  ]
  for (const { argv, error } of faults) {
    it(`"${argv.join(' ')}" is refused: ${error}`, () => {
      expect(read(...argv)).to.deep.equal({ ok: false, error })
    })
  }

  it('of an unknown switch are refused by its name', () => {
    const result = read('routes', '--fast')
    expect(result.ok ? '' : result.error).to.include('--fast')
  })
})
