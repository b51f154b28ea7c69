import { expect } from 'chai'
import * as fc from 'fast-check'
import { RE2JS } from 're2js'
import { buildRegexSet, NO_MATCH } from '../../src/lib/regex-set.ts'

const HOSTS = 1000
const PATHS_PER_HOST = 25

/** A pattern of what people write and of what breaks matchers: nested repetitions, assertions, classes, folding. */
const { pattern } = fc.letrec<{ pattern: string; branch: string; piece: string; atom: string }>((tie) => ({
  pattern: fc.array(tie('branch'), { minLength: 1, maxLength: 3 }).map((branches) => branches.join('|')),
  branch: fc.array(tie('piece'), { maxLength: 5 }).map((pieces) => pieces.join('')),
  piece: fc
    .tuple(tie('atom'), fc.constantFrom('', '', '', '*', '+', '?', '*?', '{2}', '{1,3}', '{2,}', '{0}'))
    .map(([atom, times]) => (/^(?:[\^$]|\\[bBAz]|\(\?[ims])/.test(atom) ? atom : atom + times)),
  atom: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    fc.constantFrom('a', 'b', 'k', '/', 'c', '1', '-', 's', '\u00b5', '\u00e9', '.', '\\.'),
    fc.constantFrom('[ab]', '[^/]', '[a-c0-9]', '\\w', '\\d', '[^a]', '[[:alpha:]]', '\\S', '\\pL'),
    fc.constantFrom('^', '$', '\\b', '\\B', '\\A', '\\z', '(?m)', '(?s)', '(?-i)'),
    tie('pattern').map((inner) => `(${inner})`),
    tie('pattern').map((inner) => `(?:${inner})`),
  ),
}))

const patterns = fc.array(
  fc.tuple(fc.constantFrom('/', '/', '', '/a', '^/'), pattern).map(([lead, rest]) => lead + rest),
  { minLength: 1, maxLength: 6 },
)

const text = fc
  .array(fc.constantFrom(...'aabbABkKcC1-/./\n_sS\u00b5\u00e9\u00c9'.split('')), { maxLength: 14 })
  .map((characters) => characters.join(''))
const path = fc.tuple(fc.constantFrom('/', '/', '/', ''), text).map(([lead, rest]) => lead + rest)

function compiles(source: string): boolean {
  try {
    RE2JS.compile(source)
    return true
  } catch {
    return false
  }
}

function bytesOf(latin1: string): Uint8Array {
  return Buffer.from(latin1, 'latin1')
}

describe('a regex set and re2js itself', () => {
  it(`give the same answer in ${HOSTS * PATHS_PER_HOST} random cases, remembered or worked out`, function () {
    this.timeout(120_000)
    let cases = 0
    fc.assert(
      fc.property(
        patterns,
        fc.array(path, { minLength: PATHS_PER_HOST, maxLength: PATHS_PER_HOST }),
        (sources, paths) => {
          const valid = sources.filter(compiles)
          const singles = valid.map((source) => RE2JS.compile(source, RE2JS.CASE_INSENSITIVE))
          const texts = valid.map((source) => ({ text: source }))
          const sets = [undefined, 700, 0].map((maxStateBytes) =>
            buildRegexSet(texts, maxStateBytes === undefined ? {} : { maxStateBytes }),
          )
          for (const one of paths) {
            const bytes = bytesOf(one)
            const want = singles.findIndex((single) => single.matcher(one).lookingAt())
            const found = sets.map((set) => ({ index: set.match(bytes, 0, bytes.length), work: set.work }))
            const expected = { index: want < 0 ? NO_MATCH : want, work: found[0]?.work }
            expect(found).to.deep.equal([expected, expected, expected], JSON.stringify([valid, one]))
            cases += 1
          }
        },
      ),
      { numRuns: HOSTS },
    )
    expect(cases).to.equal(HOSTS * PATHS_PER_HOST)
  })
})
