import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { NEVER_KEYS } from '../../src/annotations/never-keys.ts'
import { ANNOTATIONS } from '../../src/annotations/registry.ts'

const text = readFileSync(join(import.meta.dirname, '../../docs/annotations.md'), 'utf8')

function keysIn(heading: string): readonly string[] {
  const body = text.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
  return [...body.matchAll(/^(?:- |\| )`([^`]+\/[^`]+)`/gm)].map(([, key]) => key ?? '')
}

function keysWhere(test: (spec: (typeof ANNOTATIONS)[number]) => boolean): readonly string[] {
  return ANNOTATIONS.filter((spec) => !spec.writtenByUs && test(spec)).map(({ key }) => key)
}

describe('docs/annotations.md', () => {
  it('lists under Read what is built and nothing else (R11-1)', () => {
    expect(keysIn('Read')).to.have.members(keysWhere(({ built }) => built))
  })

  it('says of each of them what a value must be', () => {
    const rows = text.split('## Guards')[0]?.match(/^\| `[^`]+` \|[^|]*\|/gm) ?? []
    expect(rows.length).to.equal(keysWhere(({ built }) => built).length)
    expect(rows.filter((row) => /\|\s*\|$/.test(row))).to.deep.equal([])
  })

  it('lists every guard that is not built with those that close their scope (R11-163)', () => {
    const guards = keysWhere(({ built, guardsAccess }) => !built && guardsAccess)
    expect(guards).to.not.have.length(0)
    expect(keysIn('Guards that are not built')).to.have.members(guards)
  })

  it('lists the others as being without effect', () => {
    const others = keysWhere(({ built, guardsAccess }) => !built && !guardsAccess)
    expect(keysIn('Known, without effect')).to.have.members(others)
  })

  it('lists what is never read', () => {
    const never = NEVER_KEYS.map(({ name }) => `nginx.ingress.kubernetes.io/${name}`)
    expect(keysIn('Never read')).to.have.members(never)
  })
})
