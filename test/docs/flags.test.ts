import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { FLAGS, twinOf } from '../../src/settings/flags.ts'

const text = readFileSync(join(import.meta.dirname, '../../docs/flags.md'), 'utf8')
const rows = text.split('\n').filter((line) => line.startsWith('| `--'))

describe('docs/flags.md', () => {
  it('has one row for each flag that is built, and no other (R33-13)', () => {
    const names = rows.map((row) => /^\| `(--[a-z0-9-]+)`/.exec(row)?.[1])
    expect(names).to.have.ordered.members(FLAGS.filter(({ built }) => built).map(({ name }) => name))
  })

  for (const flag of FLAGS.filter(({ built }) => built)) {
    it(`gives default and twin of ${flag.name}`, () => {
      const row = rows.find((line) => line.startsWith(`| \`${flag.name}\` |`)) ?? ''
      expect(row).to.include(`| ${flag.default} |`)
      const twin = twinOf(flag)
      expect(row).to.include(twin === undefined ? '|  |' : `| \`${twin}\` |`)
    })
  }

  it('names no flag that is not built (R33-19)', () => {
    for (const { name } of FLAGS.filter(({ built }) => !built)) expect(text).to.not.include(`\`${name}\``)
  })
})
