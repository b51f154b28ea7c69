import { expect } from 'chai'
import { ApiAnswerError } from '../../src/runtime/api-errors.ts'
import { parseWatchLine } from '../../src/runtime/watch-event.ts'

const OBJECT = { metadata: { name: 'web', resourceVersion: '7' } }

describe('parseWatchLine', () => {
  for (const type of ['ADDED', 'MODIFIED']) {
    it(`reads ${type} as an object to be set`, () => {
      const event = parseWatchLine(JSON.stringify({ type, object: OBJECT }))
      expect(event).to.deep.equal({ type: 'set', raw: OBJECT, resourceVersion: '7' })
    })
  }

  it('reads DELETED', () => {
    const event = parseWatchLine(JSON.stringify({ type: 'DELETED', object: OBJECT }))
    expect(event).to.deep.equal({ type: 'deleted', raw: OBJECT, resourceVersion: '7' })
  })

  it('reads BOOKMARK', () => {
    const event = parseWatchLine(JSON.stringify({ type: 'BOOKMARK', object: OBJECT }))
    expect(event).to.deep.equal({ type: 'bookmark', resourceVersion: '7' })
  })

  it('reads ERROR with status, reason and causes', () => {
    const object = {
      kind: 'Status',
      code: 504,
      reason: 'Timeout',
      message: 'Too large resource version',
      details: { causes: [{ reason: 'ResourceVersionTooLarge' }], retryAfterSeconds: 3 },
    }
    const event = parseWatchLine(JSON.stringify({ type: 'ERROR', object }))
    expect(event.type).to.equal('error')
    const { error } = event as Extract<typeof event, { type: 'error' }>
    expect(error).to.include({ status: 504, reason: 'Timeout', retryAfterMs: 3000 })
    expect(error.causes).to.deep.equal(['ResourceVersionTooLarge'])
    expect(error.message).to.include('Too large resource version')
  })

  for (const line of ['{', '[]', 'null', '{"type":"OTHER"}', '{"object":{}}']) {
    it(`refuses ${line}`, () => {
      expect(() => parseWatchLine(line)).to.throw(ApiAnswerError)
    })
  }
})
