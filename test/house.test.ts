// What no file of this repository may hold.
import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'

const ROOT = join(import.meta.dirname, '..')
const PATTERNS = ['*', '.*', '{src,test,hack,bench,docs,config,examples,.ci}/**/*']
// As .gitignore has it: what is written here by a run, and may go while this one reads, is no part of the repository.
const IGNORED = /^(?:node_modules|dist|coverage|bench\/results\/scratch|\.git)(?:\/|$)|\.log$/

// Written in pieces, so that this file does not hold them itself.
const FORBIDDEN: ReadonlyMap<string, RegExp> = new Map([
  ['a path of somebody’s machine', new RegExp(`(?:^|[^\\w.-])/(?:${['wo', 'rk'].join('')}|root|home/\\w+)/`, 'm')],
  ['a registry’s address', new RegExp(['registry\\.npmjs', 'proxy\\.golang', 'pypi\\.org', 'ghcr\\.io'].join('|'))],
  ['a chapter of the specification as a file', /(?:^|[^\w-])\d\d-[a-z][a-z0-9-]*\.md/m],
  ['an open end', /\b(?:TODO|FIXME)\b(?!\(#\d+\))/],
])
// This page writes the form of a comment that names an issue; the licence is not ours to edit.
const EXCEPTIONS: ReadonlySet<string> = new Set([
  'LICENSE',
  'package-lock.json',
  'hack/kube/go.sum',
  'hack/h2spec/go.sum',
  'test/house.test.ts',
])

function textFiles(): readonly string[] {
  const found = globSync(PATTERNS, { cwd: ROOT }).filter((file) => !IGNORED.test(file) && !EXCEPTIONS.has(file))
  return found.filter((file) => statSync(join(ROOT, file), { throwIfNoEntry: false })?.isFile())
}

describe('the files of this repository', () => {
  const files = textFiles()

  it('are read', () => {
    expect(files).to.include.members(['README.md', 'src/lib/hash.ts', 'Dockerfile', '.npmrc'])
  })

  for (const [what, pattern] of FORBIDDEN) {
    it(`hold no ${what.replace(/^an? /, '')}`, () => {
      const holding = files.filter((file) => pattern.test(readFileSync(join(ROOT, file), 'utf8')))
      expect(holding).to.deep.equal([])
    })
  }
})
