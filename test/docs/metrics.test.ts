import { expect } from 'chai'
import { METRICS } from '../../src/observability/metrics.ts'
import { readPage } from './pages.ts'

const rows = readPage('docs/metrics.md')
  .split('\n')
  .filter((line) => line.startsWith('| `ramjet_'))

describe('docs/metrics.md', () => {
  it('has a row for every metric and no other (R34-9)', () => {
    const names = rows.map((row) => /^\| `(\w+)`/.exec(row)?.[1])
    expect(names).to.have.ordered.members(METRICS.map(({ name }) => name))
  })

  for (const { name, type, labels } of METRICS) {
    it(`gives type and labels of ${name}`, () => {
      const row = rows.find((line) => line.startsWith(`| \`${name}\` |`)) ?? ''
      expect(row).to.include(`| ${type} |`)
      for (const label of labels) expect(row).to.include(`\`${label}\`:`)
    })
  }
})
