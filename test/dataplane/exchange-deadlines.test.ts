import { expect } from 'chai'
import { DEFAULT_LIMITS } from '../../src/dataplane/engine-limits.ts'
import { ExchangeDeadlines, type Wait } from '../../src/dataplane/exchange-deadlines.ts'

const TIMEOUTS = { responseTimeoutMs: 200_000, upstreamSendTimeoutMs: 5000 }
const READING: Wait = { forClient: true, isSending: false, isConnecting: false, isGrpc: false, bodyBytes: 0 }
const SENDING: Wait = { ...READING, forClient: false, isSending: true }

function deadlines(): ExchangeDeadlines {
  return new ExchangeDeadlines(DEFAULT_LIMITS, TIMEOUTS, 0)
}

describe('ExchangeDeadlines', () => {
  it('R20-79: a body that stops coming is overdue after the body timeout', () => {
    expect(deadlines().overdue(59_999, READING)).to.equal(undefined)
    expect(deadlines().overdue(60_000, READING)).to.equal('client')
  })

  it('R11-62: an upstream that takes nothing is overdue after the send timeout', () => {
    expect(deadlines().overdue(4999, SENDING)).to.equal(undefined)
    expect(deadlines().overdue(5000, SENDING)).to.equal('upstream')
  })

  it('R20-96, R22-37: a call of gRPC stands still for the response idle time, whoever is waited for', () => {
    for (const wait of [READING, SENDING]) {
      expect(deadlines().overdue(199_999, { ...wait, isGrpc: true })).to.equal(undefined)
      expect(deadlines().overdue(200_000, { ...wait, isGrpc: true })).to.equal('upstream')
    }
  })

  it('R20-96: a call of gRPC keeps up no rate', () => {
    const one = deadlines()
    const other = deadlines()
    for (let nowMs = 0; nowMs <= 120_000; nowMs += 30_000) {
      one.moved(nowMs)
      other.moved(nowMs)
      const bodyBytes = nowMs / 1000
      expect(one.overdue(nowMs, { ...READING, isGrpc: true, bodyBytes })).to.equal(undefined)
      expect(other.overdue(nowMs, { ...READING, bodyBytes })).to.equal(
        nowMs === 60_000 || nowMs === 120_000 ? 'client' : undefined,
      )
    }
  })

  it('R20-108: a call that waits for a connection has the deadline of that', () => {
    expect(deadlines().overdue(500_000, { ...READING, isGrpc: true, isConnecting: true })).to.equal(undefined)
  })
})
