import { expect } from 'chai'
import { array, assert, boolean, constantFrom, integer, oneof, pre, property, stringMatching } from 'fast-check'
import { canonicalPath } from '../../src/lib/request-path.ts'
import type { RoutePolicy } from '../../src/model/policy.ts'
import type { PathMatch } from '../../src/model/route-table.ts'
import { decisionOf } from '../../src/router/host-routes.ts'
import { rewriteRequest } from '../../src/router/rewrite.ts'
import { prefix } from '../builders/route-table.ts'

const LIMITS = { maxTargetBytes: 100 }

function targetOf(match: PathMatch, policy: RoutePolicy, path: string, query = ''): string {
  const decision = decisionOf(prefix('', { match, policy }), true)
  if (decision.kind !== 'forward') throw new Error('a route that forwards was asked for')
  const rewritten = rewriteRequest(decision, { path, query }, LIMITS)
  if (!rewritten.ok) return rewritten.error
  const { target, forwardedPrefix } = rewritten.value
  return forwardedPrefix === undefined ? target : `${target} behind ${forwardedPrefix}`
}

const regex = (pattern: string): PathMatch => ({ type: 'Regex', pattern })
const EXACT: PathMatch = { type: 'Exact', value: '/foo' }
const FOO: PathMatch = { type: 'Prefix', value: '/foo' }
const ROOT: PathMatch = { type: 'Prefix', value: '' }

interface RewriteCase {
  readonly match: PathMatch
  readonly replaces: 'whole' | 'matched'
  readonly template: readonly (string | number)[]
  readonly path: string
  readonly want: string
}

const CASES: readonly RewriteCase[] = [
  { match: FOO, replaces: 'whole', template: ['/'], path: '/foo/a', want: '/' },
  { match: EXACT, replaces: 'whole', template: ['/bar'], path: '/foo', want: '/bar' },
  { match: regex('/api(/|$)(.*)'), replaces: 'whole', template: ['/', 2], path: '/api/v1/x', want: '/v1/x' },
  { match: regex('/api(/|$)(.*)'), replaces: 'whole', template: ['/', 2], path: '/api', want: '/' },
  // R10-20: without regard to case, and what is captured stays as it came.
  { match: regex('/api/(.*)'), replaces: 'whole', template: ['/', 1], path: '/API/Ab', want: '/Ab' },
  // A group that took no part is empty.
  { match: regex('/(a)|/(b)'), replaces: 'whole', template: ['/x', 1, 2], path: '/b', want: '/xb' },
  // The anchor is at the start alone.
  { match: regex('/a(.)'), replaces: 'whole', template: ['/', 0], path: '/abc', want: '//ab' },
  { match: FOO, replaces: 'matched', template: ['/bar'], path: '/foo/a', want: '/bar/a' },
  { match: FOO, replaces: 'matched', template: ['/bar/'], path: '/foo/a', want: '/bar/a' },
  { match: FOO, replaces: 'matched', template: ['/'], path: '/foo/a', want: '/a' },
  { match: FOO, replaces: 'matched', template: ['/'], path: '/foo', want: '/' },
  { match: FOO, replaces: 'matched', template: ['/v2', 0], path: '/foo/a', want: '/v2/foo/a' },
  { match: ROOT, replaces: 'matched', template: ['/site/'], path: '/a', want: '/site/a' },
  { match: ROOT, replaces: 'matched', template: ['/site/'], path: '/', want: '/site/' },
  // %2F is data, before and after (R10-29).
  { match: regex('/a/(.*)'), replaces: 'whole', template: ['/b/', 1], path: '/a/x%2Fy', want: '/b/x%2Fy' },
]

describe('rewriteRequest', () => {
  for (const { match, replaces, template, path, want } of CASES) {
    it(`${Object.values(match).join(' ')} ${replaces} ${template.join('|')}: ${path} is ${want}`, () => {
      expect(targetOf(match, { rewrite: { replaces, template } }, path)).to.equal(want)
    })
  }

  it('R11-46: the query is kept', () => {
    expect(targetOf(FOO, { rewrite: { replaces: 'whole', template: ['/'] } }, '/foo', '?a=/../b')).to.equal('/?a=/../b')
  })

  it('a route without a rewrite hands on what came', () => {
    expect(targetOf(FOO, { maxBodyBytes: 1 }, '/foo/a', '?b')).to.equal('/foo/a?b')
  })

  it('R10-31: a result that loses its slash is malformed', () => {
    const rewrite = { replaces: 'whole', template: [1] } as const
    expect(targetOf(regex('/(a.*)'), { rewrite }, '/ab')).to.equal('malformed')
    expect(targetOf(regex('/(x)?.*'), { rewrite }, '/ab')).to.equal('malformed')
  })

  it('R10-31: a result is brought into its one form', () => {
    const rewrite = { replaces: 'whole', template: ['/a/.', 1, '/b'] } as const
    expect(targetOf(regex('/(x?).*'), { rewrite }, '/y')).to.equal('/a/b')
  })

  it('R10-31: a result that climbs above the root is malformed', () => {
    const rewrite = { replaces: 'whole', template: ['/.', 1, '/b'] } as const
    expect(targetOf(regex('/(\\.?).*'), { rewrite }, '/.y')).to.equal('malformed')
  })

  it('R20-82: a result above the limit of a target is too long', () => {
    const rewrite = { replaces: 'whole', template: ['/', 1, 1] } as const
    expect(targetOf(regex('/(.*)'), { rewrite }, `/${'a'.repeat(49)}`)).to.have.lengthOf(99)
    expect(targetOf(regex('/(.*)'), { rewrite }, `/${'a'.repeat(50)}`)).to.equal('target-too-long')
  })

  it('R10-23: captures that would cost too much are too long', () => {
    const rewrite = { replaces: 'whole', template: ['/', 1] } as const
    const decision = decisionOf(prefix('', { match: regex(`/(${'a?'.repeat(200)}.*)`), policy: { rewrite } }), true)
    if (decision.kind !== 'forward') throw new Error('a route that forwards was asked for')
    const rewritten = rewriteRequest(decision, { path: `/${'b'.repeat(2000)}`, query: '' }, { maxTargetBytes: 9999 })
    expect(rewritten).to.deep.equal({ ok: false, error: 'target-too-long' })
  })

  it('R11-43: the prefix is told behind a rewrite, and not where it comes to nothing', () => {
    const policy: RoutePolicy = {
      rewrite: { replaces: 'whole', template: ['/', 2] },
      forwardedPrefix: ['/', 1],
    }
    expect(targetOf(regex('/(\\w+)/(.*)'), policy, '/shop/a')).to.equal('/a behind /shop')
    expect(targetOf(regex('/(\\w+)/(.*)'), { ...policy, forwardedPrefix: [3] }, '/shop/a')).to.equal('/a')
  })

  it('asks the regex only where a capture is named (R10-23)', () => {
    const decision = decisionOf(prefix('', { match: regex('/(.*)'), policy: { maxBodyBytes: 1 } }), true)
    expect(decision).to.include({ captures: undefined })
  })

  it('whatever it gives is a path in its one form', () => {
    const path = stringMatching(/^\/[a-z./%2F-]{0,20}$/)
    const part = oneof(constantFrom('/', '.', '/..', 'a', '%2F'), integer({ min: 0, max: 3 }))
    assert(
      property(path, array(part, { maxLength: 5 }), boolean(), (asked, template, whole) => {
        const canonical = canonicalPath(asked)
        pre(canonical.ok)
        const rewrite = { replaces: whole ? 'whole' : 'matched', template } as const
        const target = targetOf(regex('/(\\w*)(/?)(.*)'), { rewrite }, canonical.ok ? canonical.value : '')
        if (target.startsWith('/')) expect(canonicalPath(target)).to.deep.equal({ ok: true, value: target })
        else expect(target).to.be.oneOf(['malformed', 'target-too-long'])
      }),
    )
  })
})
