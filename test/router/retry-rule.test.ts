import { expect } from 'chai'
import { afterFailedTry, type FailedTry } from '../../src/router/retry-rule.ts'

const CONNECT: FailedTry = { method: 'POST', failure: 'connect', canReplayBody: true, connects: 1, reusedRetries: 0 }
const REUSED: FailedTry = { ...CONNECT, method: 'GET', failure: 'reused' }

describe('afterFailedTry', () => {
  const cases: readonly { readonly title: string; readonly tried: FailedTry; readonly want: string }[] = [
    { title: 'R20-127: a failed connect tries elsewhere, for every method', tried: CONNECT, want: 'other-endpoint' },
    { title: 'R20-109: until the attempts are used up', tried: { ...CONNECT, connects: 3 }, want: 'give-up' },
    { title: 'not with a body that is gone', tried: { ...CONNECT, canReplayBody: false }, want: 'give-up' },
    { title: 'R20-128: a dead pooled connection is replaced', tried: REUSED, want: 'fresh-connection' },
    { title: 'after failed connects too', tried: { ...REUSED, connects: 3 }, want: 'fresh-connection' },
    { title: 'once', tried: { ...REUSED, reusedRetries: 1 }, want: 'give-up' },
    { title: 'not with a body that is gone either', tried: { ...REUSED, canReplayBody: false }, want: 'give-up' },
    { title: 'R70-131: never for POST', tried: { ...REUSED, method: 'POST' }, want: 'give-up' },
    { title: 'nor for PATCH', tried: { ...REUSED, method: 'PATCH' }, want: 'give-up' },
    { title: 'nor for a method that nobody knows', tried: { ...REUSED, method: 'get' }, want: 'give-up' },
    { title: 'but for PUT', tried: { ...REUSED, method: 'PUT' }, want: 'fresh-connection' },
    { title: 'R20-129: nothing else is tried again', tried: { ...REUSED, failure: 'broken' }, want: 'give-up' },
  ]

  for (const { title, tried, want } of cases) {
    it(title, () => {
      expect(afterFailedTry(tried, 3)).to.equal(want)
    })
  }
})
