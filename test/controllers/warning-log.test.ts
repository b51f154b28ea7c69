import { expect } from 'chai'
import { WarningLog } from '../../src/controllers/warning-log.ts'
import type { Warning, WarningReason } from '../../src/model/warning.ts'
import { FakeLogger } from '../fakes/logger.ts'

function warning(name: string, reason: WarningReason = 'InvalidHost', message = 'is no host'): Warning {
  return { reason, object: { kind: 'Ingress', namespace: 'shop', name }, field: 'spec.rules[0].host', message }
}

// R32-23
describe('WarningLog', () => {
  let log: FakeLogger
  let warnings: WarningLog

  beforeEach(() => {
    log = new FakeLogger()
    warnings = new WarningLog(log)
  })

  it('writes reason, object, field and message', () => {
    warnings.update([warning('web')])
    const fields = {
      reason: 'InvalidHost',
      kind: 'Ingress',
      namespace: 'shop',
      name: 'web',
      field: 'spec.rules[0].host',
    }
    expect(log.records).to.deep.equal([{ level: 'warn', target: '', fields, message: 'is no host' }])
  })

  it('writes a warning once for as long as it lasts, and again when it comes back', () => {
    warnings.update([warning('web')])
    warnings.update([warning('web'), warning('api')])
    warnings.update([warning('api')])
    expect(log.records.map(({ fields }) => fields['name'])).to.deep.equal(['web', 'api'])
    warnings.update([warning('web')])
    expect(log.records).to.have.length(3)
  })

  it('writes a warning anew whose message changed', () => {
    warnings.update([warning('web')])
    warnings.update([warning('web', 'InvalidHost', 'is no host either')])
    expect(log.records).to.have.length(2)
  })

  it('writes a statement at info', () => {
    warnings.update([warning('web', 'EndpointsMissing')])
    expect(log.records[0]?.level).to.equal('info')
  })

  it('writes the same warning once however often it is in the set', () => {
    warnings.update([warning('web'), warning('web')])
    expect(log.records).to.have.length(1)
  })
})
