import { expect } from 'chai'
import { AnnotationReader } from '../../src/annotations/annotation-reader.ts'
import { timeoutPolicy } from '../../src/annotations/route-policy.ts'
import { readTimeouts } from '../../src/annotations/timeouts.ts'
import type { ClassFields } from '../../src/model/class-fields.ts'
import type { RoutePolicy } from '../../src/model/policy.ts'

function policyOf(texts: Readonly<Record<string, string>>, fields: ClassFields = {}): RoutePolicy | undefined {
  const keys = Object.entries(texts).map(([name, text]) => [`nginx.ingress.kubernetes.io/${name}`, text] as const)
  return timeoutPolicy(readTimeouts(new AnnotationReader(new Map(keys))), fields)
}

describe('timeouts and sizes', () => {
  it('nothing said is no policy at all', () => {
    expect(policyOf({})).to.equal(undefined)
    expect(policyOf({ 'proxy-buffering': 'on', 'client-body-buffer-size': '16k' })).to.equal(undefined)
  })

  const cases: readonly (readonly [string, Readonly<Record<string, string>>, RoutePolicy])[] = [
    ['R11-60', { 'proxy-connect-timeout': '7' }, { connectTimeoutMs: 7000 }],
    [
      'R11-61, R20-94: the read timeout is that of tunnels too',
      { 'proxy-read-timeout': '600' },
      { responseTimeoutMs: 600_000, tunnelIdleTimeoutMs: 600_000 },
    ],
    ['R11-61', { 'proxy-send-timeout': '9' }, { upstreamSendTimeoutMs: 9000 }],
    ['R11-62', { 'proxy-body-size': '10m' }, { maxBodyBytes: 10 * 1024 * 1024 }],
    ['R11-62: 0 is none', { 'proxy-body-size': '0' }, { maxBodyBytes: 0 }],
    ['R11-63: 8k without its size', { 'proxy-request-buffering': 'on' }, { requestBufferBytes: 8192 }],
    [
      'R11-64',
      { 'proxy-request-buffering': 'on', 'client-body-buffer-size': '1m' },
      { requestBufferBytes: 1024 * 1024 },
    ],
    ['R11-66', { 'proxy-buffer-size': '64k' }, { maxResponseHeaderBytes: 65_536 }],
    [
      'R11-67',
      { 'proxy-next-upstream': 'error http_502 error non_idempotent' },
      { retry: { on: ['error', 'http_502', 'non_idempotent'] } },
    ],
    ['R11-67: off', { 'proxy-next-upstream': 'off' }, { retry: { on: [] } }],
    [
      'R11-68: tries alone keep the rule of 20',
      { 'proxy-next-upstream-tries': '0' },
      { retry: { on: ['connect'], tries: 0 } },
    ],
    ['R11-69', { 'proxy-next-upstream-timeout': '3' }, { retry: { on: ['connect'], timeoutMs: 3000 } }],
  ]
  for (const [title, texts, want] of cases) {
    it(`${title}: ${JSON.stringify(texts)}`, () => expect(policyOf(texts)).to.deep.equal(want))
  }

  for (const text of ['off error', 'http_501', 'always', ',']) {
    it(`R11-67: ${text} is bad`, () => expect(policyOf({ 'proxy-next-upstream': text })).to.equal(undefined))
  }

  describe('of the class (R11-17)', () => {
    const fields: ClassFields = {
      responseTimeoutMs: 30_000,
      retry: { attempts: 2, on: ['connect', 503], backoffMs: 25 },
    }

    it('hold where the object says nothing', () => {
      expect(policyOf({}, fields)).to.deep.equal({
        responseTimeoutMs: 30_000,
        upstreamSendTimeoutMs: 30_000,
        retry: { on: ['connect', 'http_503'], tries: 3, backoffMs: 25 },
      })
    })

    it('are under what the object says, key by key', () => {
      const texts = { 'proxy-read-timeout': '5', 'proxy-next-upstream-tries': '7' }
      expect(policyOf(texts, fields)).to.deep.equal({
        responseTimeoutMs: 5000,
        upstreamSendTimeoutMs: 30_000,
        tunnelIdleTimeoutMs: 5000,
        retry: { on: ['connect', 'http_503'], tries: 7, backoffMs: 25 },
      })
    })

    it('no attempts are no retries', () => {
      const none = { retry: { attempts: 0, on: ['connect'], backoffMs: 0 } } as const
      expect(policyOf({}, none)).to.deep.equal({ retry: { on: [], tries: 1, backoffMs: 0 } })
    })
  })
})
