import { expect } from 'chai'
import { countedFindings, readFindings } from './findings.ts'

const entry = (id: string, severity: string) => ({ id, severity, finding: '-', ip: 'x', port: '443' })

describe('findings of testssl.sh', () => {
  it('count above LOW, and where a check could not be made', () => {
    const entries = ['OK', 'INFO', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL', 'WARN', 'FATAL'].map((severity) =>
      entry(severity, severity),
    )
    expect(countedFindings(entries).map(({ id }) => id)).to.deep.equal(['MEDIUM', 'HIGH', 'CRITICAL', 'WARN', 'FATAL'])
  })

  it('do not count where they concern the authority of the test', () => {
    expect(countedFindings([entry('cert_chain_of_trust', 'CRITICAL'), entry('RC4', 'HIGH')])).to.deep.equal([
      entry('RC4', 'HIGH'),
    ])
  })

  it('are a list that is long enough to be one', () => {
    const many = Array.from({ length: 100 }, (_none, index) => entry(`id ${index}`, 'OK'))
    expect(readFindings(JSON.stringify(many))).to.have.length(100)
    for (const text of ['{}', '[]', JSON.stringify(many.slice(1)), JSON.stringify([...many, { id: 1 }])]) {
      expect(() => readFindings(text), text.slice(0, 20)).to.throw(TypeError)
    }
  })
})
