import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { WARNING_REASONS } from '../../src/model/warning.ts'

const text = readFileSync(join(import.meta.dirname, '../../docs/warnings.md'), 'utf8')
const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)

describe('docs/warnings.md', () => {
  it('has a section for every reason and for no other (R13-2)', () => {
    expect(headings).to.have.members(Object.keys(WARNING_REASONS))
  })

  for (const [reason, { severity }] of Object.entries(WARNING_REASONS)) {
    it(`says that ${reason} is of severity ${severity}`, () => {
      const row = text.split('\n').find((line) => line.startsWith(`| [${reason}]`))
      expect(row?.endsWith(`| ${severity} |`), row).to.equal(true)
    })
  }
})
