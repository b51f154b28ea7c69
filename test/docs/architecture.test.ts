// The import table that people read is the one that the gate holds.
import { globSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect } from 'chai'
import { codeIn, ROOT, readPage } from './pages.ts'

interface Rule {
  readonly name: string
  readonly to: { readonly pathNot?: string }
}

const { forbidden } = createRequire(import.meta.url)('../../.dependency-cruiser.cjs') as { forbidden: readonly Rule[] }
const text = readPage('ARCHITECTURE.md')

function rowsOf(heading: string): ReadonlyMap<string, readonly string[]> {
  const section = text.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
  const rows = [...section.matchAll(/^\| `([^`]+)` \| (.+) \|$/gm)]
  return new Map(
    rows.map(([, folder = '', cell = '']) => [folder, [...cell.matchAll(/`([^`]+)`/g)].map(([, n = '']) => n)]),
  )
}

describe('ARCHITECTURE.md', () => {
  const table = rowsOf('Who may import whom')
  const held = forbidden.flatMap(({ name, to }): readonly (readonly [string, readonly string[]])[] => {
    const folder = /^(.+)-imports$/.exec(name)?.[1]
    const allowed = /^\^src\/\((.+)\)\/$/.exec(to.pathNot ?? '')?.[1]?.split('|') ?? []
    return folder === undefined ? [] : [[folder, allowed.filter((seen) => seen !== folder)]]
  })

  it('has a row for every folder of the import table and no other (R80-7)', () => {
    expect([...table.keys()]).to.have.members(held.map(([folder]) => folder))
  })

  for (const [folder, allowed] of held) {
    it(`says what ${folder} may import`, () => {
      expect(table.get(folder)).to.have.members(allowed)
    })
  }

  it('gives the purpose of everything in src', () => {
    const entries = readdirSync(join(ROOT, 'src')).map((name) => `src/${name}`)
    expect([...rowsOf('Folders').keys()]).to.have.members(entries)
  })

  // In its tables and under a heading a file is named by the end of its path.
  it('names no source file that does not exist', () => {
    const files = globSync('src/**/*.ts', { cwd: ROOT }).map((file) => `/${file}`)
    const named = codeIn(text).filter((code) => /^[\w./-]+\.ts$/.test(code) && !/^(test|hack|bench)\//.test(code))
    expect(named).to.have.length.above(60)
    expect(named.filter((name) => !files.some((file) => file.endsWith(`/${name}`)))).to.deep.equal([])
  })
})

describe('docs/adr', () => {
  const records = globSync('docs/adr/*.md', { cwd: ROOT }).toSorted()

  it('has numbers without a gap, each given once and said by the title (R80-22)', () => {
    const titles = records.map((file) => /^# (\d+)\. /.exec(readPage(file))?.[1])
    expect(titles).to.deep.equal(records.map((_, index) => String(index + 1)))
    expect(records.map((file) => Number(/\d+/.exec(file)?.[0]))).to.deep.equal(titles.map(Number))
  })
})
