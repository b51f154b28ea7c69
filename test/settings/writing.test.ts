import { expect } from 'chai'
import { readSettings } from '../../src/settings/parse.ts'
import type { WritingFlags } from '../../src/settings/writing.ts'

function writing(...argv: readonly string[]): WritingFlags | readonly string[] {
  const result = readSettings(argv, {}, 1)
  if (!result.ok) return result.error
  if (result.value.kind !== 'run') throw new Error('not run')
  return result.value.settings.writing
}

describe('what the flags say about writing', () => {
  it('takes a switch for off alone, and turns a boolean off that is on', () => {
    expect(writing('--no-status-update')).to.include({ noStatusUpdate: true })
    expect(writing('--leader-elect=off')).to.include({ election: undefined })
  })

  it('asks no order of times that nobody uses', () => {
    expect(writing('--leader-elect=false', '--leader-elect-duration', '1s')).to.include({ election: undefined })
  })

  for (const [flag, value] of [
    ['--publish-service', 'balancer'],
    ['--publish-service', 'edge/balancer:80'],
    ['--publish-address', 'not a host'],
    ['--leader-elect-lease-name', 'Ramjet/Lease'],
    ['--leader-elect-namespace', 'a.b'],
    ['--observed-generation', 'some'],
  ] as const) {
    it(`refuses ${flag} ${value} in one line that names it`, () => {
      const faults = writing(flag, value)
      expect(faults).to.have.length(1)
      expect(Array.isArray(faults) ? faults.join() : '').to.match(new RegExp(`^${flag}: "${value}" is not allowed: `))
    })
  }
})
