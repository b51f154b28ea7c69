import { expect } from 'chai'
import * as fc from 'fast-check'
import { DEFAULT_HASH_KEY, formatBalancingPolicy, parseBalancingPolicy } from '../../src/model/balancing-policy.ts'
import type { BalancingPolicy, HashKey } from '../../src/model/route-table.ts'

/** The policy, or what is wrong. */
function policyOf(text: string): unknown {
  const parsed = parseBalancingPolicy(text)
  return parsed.ok ? parsed.value : parsed.error
}

function keyOf(text: string): HashKey | undefined {
  const parsed = parseBalancingPolicy(text)
  return parsed.ok && typeof parsed.value === 'object' ? parsed.value.key : undefined
}

describe('balancing policies as text', () => {
  for (const [texts, policy] of [
    [['roundRobin', 'round_robin', 'rr'], 'roundRobin'],
    [['leastConn', 'lc'], 'leastConn'],
    [['random', 'p2c'], 'random'],
    [['ewma', 'lt'], 'ewma'],
  ] as const) {
    it(`R20-139: ${texts.join(', ')} are ${policy}`, () => {
      expect(texts.map(policyOf)).to.deep.equal(texts.map(() => policy))
    })
  }

  for (const text of ['hash', 'hrw']) {
    it(`${text} without a key goes by the client's address, or by what is set for it`, () => {
      expect(keyOf(text)).to.deep.equal(DEFAULT_HASH_KEY)
      const key: HashKey = [{ kind: 'host' }]
      expect(parseBalancingPolicy(text, key)).to.deep.equal({ ok: true, value: { kind: 'hash', key } })
    })
  }

  for (const [text, key] of [
    ['hash:$request_uri', [{ kind: 'requestUri' }]],
    ['hash:$uri', [{ kind: 'uri' }]],
    ['hash:$remote_addr', [{ kind: 'remoteAddr' }]],
    ['hash:$host', [{ kind: 'host' }]],
    ['hash:$http_X_User', [{ kind: 'header', name: 'x-user' }]],
    ['hash:$cookie_Session', [{ kind: 'cookie', name: 'Session' }]],
    ['hash:$arg_id', [{ kind: 'query', name: 'id' }]],
    [`hash:\${request_uri}-text-value`, [{ kind: 'requestUri' }, '-text-value']],
    [`hash:a$host/\${uri}`, ['a', { kind: 'host' }, '/', { kind: 'uri' }]],
    ['hash:client_ip', [{ kind: 'remoteAddr' }]],
    ['hrw:host', [{ kind: 'host' }]],
    ['hash:header:X_Odd', [{ kind: 'header', name: 'x_odd' }]],
    ['hrw:cookie:sid', [{ kind: 'cookie', name: 'sid' }]],
    ['hash:query:q', [{ kind: 'query', name: 'q' }]],
  ] as const) {
    it(`R20-138: reads ${text}`, () => {
      expect(keyOf(text)).to.deep.equal(key)
    })
  }

  for (const text of [
    'fastest',
    '',
    'roundrobin',
    'rr:$uri',
    'hash:',
    'hash:plain',
    'hash:$request_id',
    'hash:$',
    'hash:$uri$',
    `hash:\${uri`,
    'hash:$http_',
    'hash:header:',
    'hash:header:a b',
    'hash:trailer:x',
    `hash:${'$uri'.repeat(33)}`,
  ]) {
    it(`refuses ${text || 'an empty text'}`, () => {
      expect(parseBalancingPolicy(text).ok).to.equal(false)
    })
  }

  it('says what is wrong', () => {
    expect(policyOf('fastest')).to.equal('is none of roundRobin, leastConn, random, ewma, hash')
    expect(policyOf('lc:$uri')).to.equal('has a key, and leastConn takes none')
    expect(policyOf('hash:$uri-$secret')).to.equal('has "$secret", which is no variable to hash by')
  })

  it('are read or refused, whatever the text', () => {
    const pieces = fc.array(fc.constantFrom('hash', 'hrw', ':', '$', '{', '}', 'uri', 'http_', 'header', 'x', ' '))
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          pieces.map((parts) => parts.join('')),
        ),
        (text) => {
          const parsed = parseBalancingPolicy(text)
          if (!parsed.ok) expect(parsed.error).to.match(/^(is none of|has|names) /)
          else if (typeof parsed.value === 'object') expect(parsed.value.key).to.not.deep.equal([])
        },
      ),
      { numRuns: 1000 },
    )
  })

  it('are written so that they read the same again', () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/)
    const variable = fc.oneof(
      fc.constantFrom('requestUri', 'uri', 'remoteAddr', 'host').map((kind) => ({ kind })),
      fc.record({ kind: fc.constant('header' as const), name }),
      fc.record({ kind: fc.constantFrom('cookie', 'query'), name: fc.stringMatching(/^\w{1,8}$/) }),
    )
    const text = fc.stringMatching(/^[a-z/.:-]{1,6}$/)
    const key = fc
      .array(fc.tuple(variable, fc.option(text, { nil: undefined })), { minLength: 1, maxLength: 8 })
      .map((parts) => parts.flatMap(([one, behind]) => (behind === undefined ? [one] : [one, behind])))
    fc.assert(
      fc.property(key, (parts) => {
        const policy: BalancingPolicy = { kind: 'hash', key: parts }
        expect(policyOf(formatBalancingPolicy(policy))).to.deep.equal(policy)
      }),
    )
    for (const policy of ['roundRobin', 'leastConn', 'random', 'ewma'] as const) {
      expect(policyOf(formatBalancingPolicy(policy))).to.equal(policy)
    }
  })
})
