import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { ROOT, readPage } from './pages.ts'

const text = readPage('docs/errors.md')
const sources = globSync('src/**/*.ts', { cwd: ROOT }).map((file) => readFileSync(join(ROOT, file), 'utf8'))

function allOf(pattern: RegExp, texts: readonly string[]): readonly string[] {
  return texts.flatMap((source) => [...source.matchAll(pattern)].map(([, found = '']) => found))
}

describe('docs/errors.md', () => {
  it('has a row for every code of an error class and no other (R80-38)', () => {
    const codes = allOf(/^ {2}readonly code(?:: string)? = '(RAMJET_[A-Z_]+)'/gm, sources)
    expect(codes).to.not.have.length(0)
    expect(allOf(/^\| `(RAMJET_[A-Z_]+)` \|/gm, [text])).to.have.members([...new Set(codes)])
  })

  it('no code is used by two classes', () => {
    const codes = allOf(/^ {2}readonly code(?:: string)? = '(RAMJET_[A-Z_]+)'/gm, sources)
    expect(new Set(codes).size).to.equal(codes.length)
  })

  it('has a row for every answer of our own, with its status and sentence (R20-61)', () => {
    const answers = readPage('src/dataplane/own-answers.ts')
    const shapes = [...answers.matchAll(/status: (\d+),\s+reason: '[^']+',\s+sentence: '([^']+)'/g)]
    const said = shapes.map(([, status, sentence]) => `${status} ${sentence}`)
    expect(said).to.have.length.greaterThan(10)
    const shown = [...text.matchAll(/^\| (\d{3}) \| (.+?) \|/gm)].map(([, status, sentence]) => `${status} ${sentence}`)
    expect(shown).to.have.members([...new Set(said)])
  })
})
