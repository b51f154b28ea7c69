import { expect } from 'chai'
import type { RetryPolicy } from '../../src/model/policy.ts'
import { afterFailedTry, DEFAULT_RETRY, type FailedTry, mayAskAgain } from '../../src/router/retry-rule.ts'

const CONNECT: FailedTry = {
  method: 'POST',
  failure: 'connect',
  canReplayBody: true,
  tries: 1,
  reusedRetries: 0,
  elapsedMs: 0,
}
const REUSED: FailedTry = { ...CONNECT, method: 'GET', failure: 'reused' }
const GET: FailedTry = { ...CONNECT, method: 'GET' }

interface RetryCase {
  readonly title: string
  readonly tried: FailedTry
  readonly want: string
}

describe('afterFailedTry', () => {
  const byDefault: readonly RetryCase[] = [
    { title: 'R20-127: a failed connect tries elsewhere, for every method', tried: CONNECT, want: 'other-endpoint' },
    { title: 'one that timed out too', tried: { ...CONNECT, failure: 'connect-timeout' }, want: 'other-endpoint' },
    { title: 'R20-109: until the attempts are used up', tried: { ...CONNECT, tries: 3 }, want: 'give-up' },
    { title: 'not with a body that is gone', tried: { ...CONNECT, canReplayBody: false }, want: 'give-up' },
    { title: 'R20-128: a dead pooled connection is replaced', tried: REUSED, want: 'fresh-connection' },
    { title: 'after failed connects too', tried: { ...REUSED, tries: 3 }, want: 'fresh-connection' },
    { title: 'once', tried: { ...REUSED, reusedRetries: 1 }, want: 'give-up' },
    { title: 'not with a body that is gone either', tried: { ...REUSED, canReplayBody: false }, want: 'give-up' },
    { title: 'R70-131: never for POST', tried: { ...REUSED, method: 'POST' }, want: 'give-up' },
    { title: 'nor for PATCH', tried: { ...REUSED, method: 'PATCH' }, want: 'give-up' },
    { title: 'nor for a method that nobody knows', tried: { ...REUSED, method: 'get' }, want: 'give-up' },
    { title: 'but for PUT', tried: { ...REUSED, method: 'PUT' }, want: 'fresh-connection' },
    { title: 'R20-129: nothing after a connection broke', tried: { ...GET, failure: 'broken' }, want: 'give-up' },
    { title: 'nor after what is no response', tried: { ...GET, failure: 'invalid' }, want: 'give-up' },
    { title: 'nor after a response that did not come in time', tried: { ...GET, failure: 'timeout' }, want: 'give-up' },
    { title: 'nor after any status', tried: { ...GET, failure: 503 }, want: 'give-up' },
  ]
  for (const { title, tried, want } of byDefault) {
    it(title, () => {
      expect(afterFailedTry(tried, DEFAULT_RETRY, 3)).to.equal(want)
    })
  }

  const byPolicy: readonly (RetryCase & { readonly policy: RetryPolicy })[] = [
    { title: 'off: nothing', policy: { on: [] }, tried: CONNECT, want: 'give-up' },
    { title: 'off: no pooled connection either', policy: { on: [] }, tried: REUSED, want: 'give-up' },
    { title: 'error: a refused connect', policy: { on: ['error'] }, tried: CONNECT, want: 'other-endpoint' },
    {
      title: 'error: no connect that timed out',
      policy: { on: ['error'] },
      tried: { ...CONNECT, failure: 'connect-timeout' },
      want: 'give-up',
    },
    {
      title: 'timeout: a connect that timed out',
      policy: { on: ['timeout'] },
      tried: { ...CONNECT, failure: 'connect-timeout' },
      want: 'other-endpoint',
    },
    {
      title: 'timeout: a response that did not come in time',
      policy: { on: ['timeout'] },
      tried: { ...GET, failure: 'timeout' },
      want: 'other-endpoint',
    },
    {
      title: 'timeout: not for POST, which may have been done',
      policy: { on: ['timeout'] },
      tried: { ...CONNECT, failure: 'timeout' },
      want: 'give-up',
    },
    {
      title: 'non_idempotent: for POST too',
      policy: { on: ['timeout', 'non_idempotent'] },
      tried: { ...CONNECT, failure: 'timeout' },
      want: 'other-endpoint',
    },
    {
      title: 'non_idempotent: not with a body that is gone',
      policy: { on: ['timeout', 'non_idempotent'] },
      tried: { ...CONNECT, failure: 'timeout', canReplayBody: false },
      want: 'give-up',
    },
    {
      title: 'error: a connection that broke',
      policy: { on: ['error'] },
      tried: { ...GET, failure: 'broken' },
      want: 'other-endpoint',
    },
    {
      title: 'error: a second pooled connection that died',
      policy: { on: ['error'] },
      tried: { ...REUSED, reusedRetries: 1 },
      want: 'other-endpoint',
    },
    {
      title: 'invalid_header: what is no response',
      policy: { on: ['invalid_header'] },
      tried: { ...GET, failure: 'invalid' },
      want: 'other-endpoint',
    },
    {
      title: 'http_503: that status',
      policy: { on: ['http_503'] },
      tried: { ...GET, failure: 503 },
      want: 'other-endpoint',
    },
    { title: 'http_503: no other', policy: { on: ['http_503'] }, tried: { ...GET, failure: 502 }, want: 'give-up' },
    { title: 'http_503: no connect', policy: { on: ['http_503'] }, tried: CONNECT, want: 'give-up' },
    {
      title: 'R11-68: tries count the first one',
      policy: { on: ['connect'], tries: 5 },
      tried: { ...CONNECT, tries: 4 },
      want: 'other-endpoint',
    },
    {
      title: 'R11-68: and end with the last',
      policy: { on: ['connect'], tries: 5 },
      tried: { ...CONNECT, tries: 5 },
      want: 'give-up',
    },
    {
      title: 'R11-68: 0 has no end of its own',
      policy: { on: ['connect'], tries: 0 },
      tried: { ...CONNECT, tries: 99 },
      want: 'other-endpoint',
    },
    {
      title: 'R11-69: within its time',
      policy: { on: ['connect'], timeoutMs: 1000 },
      tried: { ...CONNECT, elapsedMs: 999 },
      want: 'other-endpoint',
    },
    {
      title: 'R11-69: and not after it',
      policy: { on: ['connect'], timeoutMs: 1000 },
      tried: { ...CONNECT, elapsedMs: 1000 },
      want: 'give-up',
    },
    {
      title: 'R11-69: 0 is no time limit',
      policy: { on: ['connect'], timeoutMs: 0 },
      tried: { ...CONNECT, elapsedMs: 99_999 },
      want: 'other-endpoint',
    },
  ]
  for (const { title, policy, tried, want } of byPolicy) {
    it(title, () => {
      expect(afterFailedTry(tried, policy, 3)).to.equal(want)
    })
  }

  it('R11-73: an endpoint is asked again only with a wait between, and never where each is asked once', () => {
    expect(mayAskAgain({ on: ['error'], tries: 3 })).to.equal(false)
    expect(mayAskAgain({ on: ['error'], tries: 3, backoffMs: 0 })).to.equal(true)
    expect(mayAskAgain({ on: ['error'], tries: 0, backoffMs: 10 })).to.equal(false)
  })
})
