import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { actionOf, DECISION_REASONS } from '../../src/model/event-reasons.ts'
import { WARNING_REASONS, type WarningReason } from '../../src/model/warning.ts'

const text = readFileSync(join(import.meta.dirname, '../../docs/warnings.md'), 'utf8')
const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)

describe('docs/warnings.md', () => {
  it('has a section for every reason and for no other (R13-2)', () => {
    expect(headings).to.have.members(Object.keys(WARNING_REASONS))
  })

  for (const reason of Object.keys(WARNING_REASONS) as WarningReason[]) {
    const { severity, channel } = WARNING_REASONS[reason]
    it(`says of ${reason} how severe it is, where it is told, and the verb of its Event (R13-2, R13-10)`, () => {
      const row = text.split('\n').find((line) => line.startsWith(`| [${reason}]`))
      const told = channel === 'event' ? `Event | ${actionOf(reason)}` : 'log | -'
      expect(row?.endsWith(`| ${severity} | ${told} |`), row).to.equal(true)
    })
  }

  it('lists every Event that reports a decision, with severity and verb, and no other', () => {
    const rows = [...text.matchAll(/^\| `(\w+)` \| [^|]+ \| (\w+) \| (\w+) \|/gm)]
    const listed = rows.map(([, reason, severity, action]) => [reason, { severity, action }])
    expect(listed).to.deep.equal(Object.entries(DECISION_REASONS))
  })
})
