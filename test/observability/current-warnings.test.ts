import { expect } from 'chai'
import type { Warning } from '../../src/model/warning.ts'
import { CurrentWarnings } from '../../src/observability/current-warnings.ts'

function warning(name: string, message = 'm'): Warning {
  return { reason: 'InvalidHost', object: { kind: 'Ingress', namespace: 'shop', name }, field: 'f', message }
}

describe('CurrentWarnings', () => {
  it('keeps the time of what stays, forgets what goes, and counts by reason', () => {
    let now = 1
    const current = new CurrentWarnings({ wallMs: () => now, monotonicMs: () => 0 })
    current.replace([warning('a'), warning('b')])
    now = 2
    current.replace([warning('b'), warning('c'), warning('b'), warning('b', 'other')])
    expect(
      current.all().map(({ warning: { object, message }, sinceMs }) => [object.name, message, sinceMs]),
    ).to.deep.equal([
      ['b', 'm', 1],
      ['c', 'm', 2],
      ['b', 'other', 2],
    ])
    expect([...current.countsByReason()]).to.deep.equal([['InvalidHost', 3]])
  })
})
