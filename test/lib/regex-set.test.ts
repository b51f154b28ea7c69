import { expect } from 'chai'
import { compilePattern, MAX_HOST_INSTRUCTIONS, MAX_HOST_REGEXES, MAX_REGEX_PATH_BYTES } from '../../src/lib/regex.ts'
import { buildRegexSet, MAX_MATCH_WORK, NO_MATCH, type RegexSet, TOO_COSTLY } from '../../src/lib/regex-set.ts'

interface Case {
  readonly patterns: readonly string[]
  readonly path: string
  readonly want: number
}

const cases: readonly Case[] = [
  { patterns: [], path: '/a', want: NO_MATCH },
  { patterns: [''], path: '', want: 0 },
  { patterns: ['/a'], path: '/abc', want: 0 },
  { patterns: ['/a'], path: '/b/a', want: NO_MATCH },
  { patterns: ['/a$'], path: '/abc', want: NO_MATCH },
  { patterns: ['/ABC'], path: '/aBc', want: 0 },
  { patterns: ['/[a-c]+/x'], path: '/ABCA/X', want: 0 },
  { patterns: ['/(?-i)a'], path: '/A', want: NO_MATCH },
  { patterns: ['/a|b'], path: 'b', want: 0 },
  { patterns: ['/b', '/a.*', '/ab'], path: '/abc', want: 1 },
  { patterns: ['/.*z', '/a', '/ab'], path: '/abcz', want: 0 },
  { patterns: ['/.*z', '/a', '/ab'], path: '/abc', want: 1 },
  { patterns: ['/api(/|$)(.*)'], path: '/api', want: 0 },
  { patterns: ['/api(/|$)(.*)'], path: '/apis', want: NO_MATCH },
  { patterns: ['/a\\b.'], path: '/a-', want: 0 },
  { patterns: ['/a\\b.'], path: '/ab', want: NO_MATCH },
  { patterns: ['/a\\b'], path: '/a', want: 0 },
  { patterns: ['/a\\B.'], path: '/ab', want: 0 },
  { patterns: ['/.*\\bb$'], path: '/a/b', want: 0 },
  { patterns: ['/.*\\bb$'], path: '/ab', want: NO_MATCH },
  { patterns: ['(?m)/a\\n^b'], path: '/a\nb', want: 0 },
  { patterns: ['(?m)/a$'], path: '/a\nb', want: 0 },
  { patterns: ['/a$'], path: '/a\nb', want: NO_MATCH },
  { patterns: ['/.'], path: '/\n', want: NO_MATCH },
  { patterns: ['(?s)/.'], path: '/\n', want: 0 },
  { patterns: ['/\u00e9'], path: '/\u00c9', want: 0 },
  { patterns: ['/\\pL{3}$', '/\\PL'], path: '/a1b', want: NO_MATCH },
  { patterns: ['/\\pL{3}$', '/\\PL'], path: '/\u00e9bc', want: 0 },
  { patterns: ['/(?-i)k(?i)k'], path: '/kK', want: 0 },
  { patterns: ['/(?-i)k(?i)k'], path: '/Kk', want: NO_MATCH },
  { patterns: ['/a(', '/a'], path: '/a', want: 1 },
]

function match(set: RegexSet, path: string): number {
  const bytes = Buffer.from(path, 'latin1')
  return set.match(bytes, 0, bytes.length)
}

function setOf(texts: readonly string[], options: { readonly maxStateBytes?: number } = {}): RegexSet {
  return buildRegexSet(
    texts.map((text) => ({ text })),
    options,
  )
}

describe('a regex set', () => {
  for (const { patterns, path, want } of cases) {
    it(`${JSON.stringify(patterns)} gives ${want} for ${JSON.stringify(path)}`, () => {
      const sets = [setOf(patterns), setOf(patterns, { maxStateBytes: 0 })]
      for (const set of sets) expect([match(set, path), match(set, path)]).to.deep.equal([want, want])
    })
  }

  it('reads the range of bytes it is given and no other', () => {
    const bytes = Buffer.from('xx/abyy', 'latin1')
    expect(setOf(['/ab$']).match(bytes, 2, 5)).to.equal(0)
    expect(setOf(['\\bb']).match(bytes, 4, 5)).to.equal(0)
    expect(setOf(['/ab$']).match(bytes, 2, 6)).to.equal(NO_MATCH)
  })

  it('stops where nothing can change the answer any more', () => {
    const set = setOf(['/a.*', '/.*b'])
    match(set, '/a')
    const { work } = set
    match(set, `/a${'x'.repeat(1000)}`)
    expect(set.work).to.equal(work)
  })
})

/** Patterns that cost as much as the bounds let them, by the number of the pattern. */
const hostile: ReadonlyMap<string, (index: number) => string> = new Map([
  ['/.*a.{k}c', (index: number) => `/.*a.{${60 + (index % 40)}}c${index}`],
  ['/.*a.{2xx}', (index: number) => `/.*a.{${180 + (index % 40)}}c${index}`],
  ['/(?:[ab]?..)*', (index: number) => `/(?:${'[ab]?'.repeat(94)})*c${index}`],
  ['/(?:.*a.{k}){8}', (index: number) => `/(?:.*a.{${4 + (index % 4)}}){8}c${index}`],
  ['/.*a.*b..', (index: number) => `/${'.*a.*b'.repeat(40)}${index}`],
  ['/.*a[ab]{k}', (index: number) => `/.*a${'[ab]'.repeat(20 + (index % 30))}c${index}`],
  ['word boundaries', (index: number) => `/(?:.*\\ba.*\\B.{${10 + (index % 9)}}){4}c${index}`],
  ['optional boundaries', (index: number) => `/(?:${'\\b?[ab]?'.repeat(50)})*c${index}`],
  ['empty branches', (index: number) => `/(?:${'(?:|)(?:|)'.repeat(40)}[ab])*c${index}`],
  ['lines', (index: number) => `(?m)/(?:.*$?.{5}^?){9}c${index}`],
])

/** As many as a host may have. */
function fullHost(family: (index: number) => string): readonly string[] {
  const texts: string[] = []
  let instructions = 0
  for (let index = 0; index < MAX_HOST_REGEXES; index += 1) {
    const compiled = compilePattern(family(index))
    if (!compiled.ok) throw new Error(`${family(index)} ${compiled.error.message}`)
    if (instructions + compiled.value.instructions > MAX_HOST_INSTRUCTIONS) break
    instructions += compiled.value.instructions
    texts.push(compiled.value.text)
  }
  return texts
}

function randomPath(length: number, alphabet: string, seed: number): string {
  let state = seed
  let path = '/'
  while (path.length < length) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff
    path += alphabet[(state >> 16) % alphabet.length]
  }
  return path
}

const hostilePaths: readonly string[] = [
  randomPath(MAX_REGEX_PATH_BYTES, 'ab', 1),
  randomPath(MAX_REGEX_PATH_BYTES, 'ab', 99),
  randomPath(MAX_REGEX_PATH_BYTES, 'ab/.-_', 5),
  randomPath(MAX_REGEX_PATH_BYTES, 'abcdefghijklmnopqrstuvwxyz', 7),
  `/${'a'.repeat(MAX_REGEX_PATH_BYTES - 1)}`,
  `/${'ab'.repeat(MAX_REGEX_PATH_BYTES / 2 - 1)}`,
]

describe('the work of a match (R10-23)', () => {
  for (const [name, family] of hostile) {
    it(`ends at its bound for a full host of ${name}`, function () {
      this.timeout(30_000)
      const texts = fullHost(family)
      const [remembered, plain] = [setOf(texts), setOf(texts, { maxStateBytes: 0 })]
      // One step visits an instruction three times at most: as an item, as one settled, and on the way to the next.
      const largestStep = 3 * MAX_HOST_INSTRUCTIONS
      for (const path of [...hostilePaths, ...hostilePaths]) {
        const found = match(remembered, path)
        expect(remembered.work).to.be.below(MAX_MATCH_WORK + largestStep)
        expect(found === TOO_COSTLY).to.equal(remembered.work > MAX_MATCH_WORK)
        expect([match(plain, path), plain.work]).to.deep.equal([found, remembered.work])
      }
    })
  }

  it('is given up in a full host of the dearest patterns, and not in one of usual ones', () => {
    const dear = setOf(fullHost((index) => `/.*a.{${60 + (index % 40)}}c${index}`))
    expect(match(dear, hostilePaths[0] ?? '')).to.equal(TOO_COSTLY)
    const usual = setOf(fullHost((index) => `/api${index}/v[0-9]+/items/([^/]+)$`))
    expect(match(usual, `/api299/v1/items/${'x'.repeat(MAX_REGEX_PATH_BYTES - 17)}`)).to.equal(299)
    expect(usual.work).to.be.below(25_000)
  })

  it('grows with the length of the path and not faster', () => {
    const set = setOf(['/(?:a?){100}(?:a*)*b$', '/(?:.*a){20}c'])
    const work = [500, 1000, 2000].map((length) => {
      match(set, `/${'a'.repeat(length)}`)
      return set.work
    })
    expect(work[2]).to.be.below(4.1 * (work[0] ?? 0))
    expect((work[2] ?? 0) - (work[1] ?? 0)).to.equal(2 * ((work[1] ?? 0) - (work[0] ?? 0)))
  })

  it('is the same before and after the memory for states ran out and was begun anew', function () {
    this.timeout(30_000)
    const set = setOf(['/.*a.{9}c', '/.*b.{7}d'], { maxStateBytes: 4096 })
    const fresh = setOf(['/.*a.{9}c', '/.*b.{7}d'])
    for (let round = 0; round < 2500; round += 1) {
      const path = randomPath(40, 'abcd', round)
      const answers = [set, fresh].map((one) => [match(one, path), one.work])
      expect(answers[0]).to.deep.equal(answers[1])
    }
  })
})
