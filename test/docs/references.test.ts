// What pages point at exists: files, links, scripts, flags.
import { existsSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect } from 'chai'
import { FLAGS } from '../../src/settings/flags.ts'
import { codeIn, ROOT, readPage, readPages } from './pages.ts'

const FOLDERS = 'src|test|hack|bench|docs|config|examples|\\.ci'
const PLACES = new RegExp(`^(?:(?:${FOLDERS})(?:/[\\w.-]+)*/?|[A-Z]+\\.md|\\.dependency-cruiser\\.cjs)$`)
const scripts = (JSON.parse(readPage('package.json')) as { scripts: Record<string, string> }).scripts

describe('pages', () => {
  const pages = readPages()

  it('are read', () => {
    expect(pages.map(({ file }) => file)).to.include.members(['README.md', 'ARCHITECTURE.md', 'docs/flags.md'])
  })

  for (const { file, text } of pages) {
    it(`${file} names no file that does not exist`, () => {
      const named = codeIn(text).filter((code) => PLACES.test(code))
      expect(named.filter((place) => !existsSync(join(ROOT, place)))).to.deep.equal([])
    })

    it(`${file} links to nothing that does not exist`, () => {
      const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
      const missing = targets.filter((target) => !isLinkAlive(file, target))
      expect(missing).to.deep.equal([])
    })

    it(`${file} names no npm script that does not exist`, () => {
      const named = codeIn(text).flatMap((code) =>
        [...code.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name),
      )
      expect(named.filter((name) => scripts[name] === undefined)).to.deep.equal([])
    })

    it(`${file} runs no script that does not exist`, () => {
      const named = codeIn(text).flatMap((code) =>
        [...code.matchAll(/\b(?:node|mocha)(?: --[\w-]+)* ([\w./-]+\.ts)\b/g)].map(([, name = '']) => name),
      )
      expect(named.filter((name) => !existsSync(join(ROOT, name)))).to.deep.equal([])
    })

    // What is not built is named where it says so, and nowhere else (R33-19).
    if (!['docs/limitations.md'].includes(file) && !file.startsWith('docs/adr/')) {
      it(`${file} names no flag that this build does not have`, () => {
        const later = FLAGS.filter(({ built }) => !built).map(({ name }) => name)
        const words = codeIn(text).flatMap((code) => code.split(/[\s=]/))
        expect(words.filter((word) => later.includes(word))).to.deep.equal([])
      })
    }
  }
})

function isLinkAlive(file: string, target: string): boolean {
  if (/^https?:/.test(target)) return true
  const [path = '', anchor] = target.split('#')
  const page = path === '' ? file : normalize(join(dirname(file), path))
  if (!existsSync(join(ROOT, page))) return false
  return anchor === undefined || headingsOf(readPage(page)).includes(anchor)
}

function headingsOf(text: string): readonly string[] {
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading)
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )
}
