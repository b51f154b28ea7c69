import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { actionOf, DECISION_REASONS } from '../../src/model/event-reasons.ts'
import { WARNING_REASONS, type WarningReason } from '../../src/model/warning.ts'
import { LATER_REASONS, WARNING_TABLE } from './warning-table.ts'

const TESTS = join(import.meta.dirname, '..')
const text = readFileSync(join(TESTS, '../docs/warnings.md'), 'utf8')
const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)
const reasons = Object.keys(WARNING_REASONS)

describe('docs/warnings.md', () => {
  it('has a section for every reason and for no other (R13-2)', () => {
    expect(headings).to.have.members(reasons)
  })

  it('and so have the tables, but for what is not in this build (R13-2)', () => {
    expect(WARNING_TABLE.map(({ reason }) => reason)).to.have.members(reasons)
    expect(LATER_REASONS.filter((reason) => reasons.includes(reason))).to.deep.equal([])
  })

  for (const { reason, kinds, severity, told, action } of WARNING_TABLE) {
    const [, object = '', , ...cells] = rowOf(reason)

    it(`says of ${reason} how severe it is, where it is told, and the verb of its Event (R13-2, R13-10)`, () => {
      const [shownSeverity, shownTold = '', shownAction] = cells
      expect([shownSeverity, shownAction]).to.deep.equal([severity, action])
      expect(shownTold.match(/Event|log/g)?.join(', ')).to.equal(told)
    })

    it(`tells ${reason} of no object but ${kinds.join(', ')} (R13-2)`, () => {
      const shown = object.match(/[A-Z][A-Za-z]+|process|object/g) ?? []
      expect(shown).to.not.have.length(0)
      // A routes file has the findings of an Ingress with the same fields.
      const allowed = [...kinds, ...(kinds.includes('Ingress') ? ['File'] : [])]
      expect(allowed).to.include.members(shown.map((kind) => kind.replace(/sses$/, 'ss')))
    })
  }

  it('lists every Event that reports a decision, with severity and verb, and no other', () => {
    const rows = [...text.matchAll(/^\| `(\w+)` \| [^|]+ \| (\w+) \| (\w+) \|/gm)]
    const listed = rows.map(([, reason, severity, action]) => [reason, { severity, action }])
    expect(listed).to.deep.equal(Object.entries(DECISION_REASONS))
  })
})

describe('src/model/warning.ts', () => {
  for (const { reason, severity, told, action } of WARNING_TABLE) {
    it(`has ${reason} as the tables do (R13-2, R13-4, R13-5, R13-10)`, () => {
      const known = reason as WarningReason
      const { severity: itsSeverity, channel } = WARNING_REASONS[known]
      const isEvent = told.startsWith('Event')
      expect([itsSeverity, channel]).to.deep.equal([severity, isEvent ? 'event' : 'log'])
      if (isEvent) expect(actionOf(known)).to.equal(action)
    })
  }

  it('has no reason that no test raises (R13-2)', () => {
    const raising = textOfTests()
    expect(reasons.filter((reason) => !new RegExp(`\\b${reason}\\b`).test(raising))).to.deep.equal([])
  })
})

/** The cells of the row about a reason. */
function rowOf(reason: string): readonly string[] {
  const line = text.split('\n').find((row) => row.startsWith(`| [${reason}]`)) ?? ''
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())
}

/** Every test but those that read what is written about warnings. */
function textOfTests(): string {
  const files = readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
  const raising = files.filter((file) => file.endsWith('.test.ts') && !/^(docs|gates)/.test(file))
  return raising.map((file) => readFileSync(join(TESTS, file), 'utf8')).join('\n')
}
