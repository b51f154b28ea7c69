import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { ROOT, readPage } from './pages.ts'

const sources = globSync('src/**/*.ts', { cwd: ROOT }).map((file) => readFileSync(join(ROOT, file), 'utf8'))

describe('docs/operations.md', () => {
  it('has a row for every target of the log and no other (R32-23)', () => {
    const targets = sources.flatMap((text) => [...text.matchAll(/\.child\(['`]([a-z]+)/g)].map(([, name]) => name))
    const [, section = ''] = readPage('docs/operations.md').split('\n| target | what it tells |\n')
    const rows = [...(section.split('\n\n')[0] ?? '').matchAll(/^\| `([a-z]+)` \|/gm)].map(([, name]) => name)
    expect(rows).to.not.have.length(0)
    expect(rows).to.have.members([...new Set(targets)])
  })
})
