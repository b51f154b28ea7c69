import { expect } from 'chai'
import { errorFromAnswer } from '../../src/runtime/api-status.ts'

const WALL_MS = Date.parse('2026-01-01T00:00:00Z')

function answer(text: string, retryAfter?: string): ReturnType<typeof errorFromAnswer> {
  return errorFromAnswer('GET /x', 429, { text, retryAfter, wallMs: WALL_MS })
}

describe('errorFromAnswer', () => {
  it('takes reason and message from a Status object', () => {
    const error = answer(JSON.stringify({ kind: 'Status', reason: 'TooManyRequests', message: 'slow down' }))
    expect(error).to.include({ status: 429, reason: 'TooManyRequests' })
    expect(error.message).to.equal('GET /x was answered 429: slow down')
  })

  it('takes the first 200 characters of what is no Status object', () => {
    expect(answer('<html>'.repeat(100)).message).to.have.length.below(240)
    expect(answer('').message).to.include('no message')
    expect(answer('null').message).to.include('429: null')
  })

  const waits = [
    { field: undefined, body: '{}', want: 0 },
    { field: '7', body: '{}', want: 7000 },
    { field: 'Thu, 01 Jan 2026 00:00:09 GMT', body: '{}', want: 9000 },
    { field: 'Wed, 31 Dec 2025 00:00:00 GMT', body: '{}', want: 0 },
    { field: 'soon', body: '{}', want: 0 },
    { field: '-5', body: '{}', want: 0 },
    { field: '999999', body: '{}', want: 300_000 },
    { field: '1', body: '{"details":{"retryAfterSeconds":4}}', want: 4000 },
  ]
  for (const { field, body, want } of waits) {
    it(`reads Retry-After ${field} with ${body} as ${want} ms`, () => {
      expect(answer(body, field).retryAfterMs).to.equal(want)
    })
  }
})
