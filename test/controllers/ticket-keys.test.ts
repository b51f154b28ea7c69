import { expect } from 'chai'
import { TicketKeys } from '../../src/controllers/ticket-keys.ts'
import { secret } from '../builders/secret.ts'
import { FakeClock } from '../fakes/clock.ts'
import { FakeLogger } from '../fakes/logger.ts'

const HALF_DAY_MS = 12 * 3_600_000

function holding(text: string) {
  return { kind: 'object', object: secret('system/tickets', { 'ticket.key': text }) } as const
}

describe('TicketKeys', () => {
  const [ONE, OTHER] = ['1'.repeat(48), '2'.repeat(48)]
  let clock: FakeClock
  let log: FakeLogger
  let applied: string[]
  let keys: TicketKeys

  beforeEach(() => {
    clock = new FakeClock()
    log = new FakeLogger()
    applied = []
    keys = new TicketKeys({
      apply: (given) => void applied.push(given.toString('latin1')),
      rotateMs: HALF_DAY_MS,
      timers: clock,
      log,
    })
    keys.start()
  })

  afterEach(() => {
    keys.stop()
    expect(clock.pending()).to.deep.equal([])
  })

  it('R21-25: makes 48 random bytes, and others every 12 hours', () => {
    clock.advance(HALF_DAY_MS - 1)
    expect(applied.map(({ length }) => length)).to.deep.equal([48])
    clock.advance(1 + HALF_DAY_MS)
    expect(new Set(applied).size).to.equal(3)
  })

  it('R21-24: uses those of a Secret as they are, and others as soon as it holds them', () => {
    keys.found(holding(ONE))
    keys.found(holding(ONE))
    clock.advance(10 * HALF_DAY_MS)
    keys.found(holding(OTHER))
    expect(applied.slice(1)).to.deep.equal([ONE, OTHER])
    expect(log.records).to.deep.equal([])
  })

  it('goes on with the last good keys of a Secret that is broken or gone, and says so once', () => {
    keys.found(holding(ONE))
    keys.found(holding('short'))
    keys.found(holding('short'))
    keys.found({ kind: 'missing' })
    clock.advance(10 * HALF_DAY_MS)
    expect(applied.slice(1)).to.deep.equal([ONE])
    expect(log.records.map(({ fields }) => fields['problem'])).to.deep.equal([
      'holds 5 bytes under ticket.key, and 48 are needed',
      'does not exist',
    ])
    expect(JSON.stringify(log.records)).to.not.contain('short')
  })

  it('makes its own for as long as the Secret has none', () => {
    keys.found({ kind: 'unread' })
    keys.found({ kind: 'forbidden' })
    clock.advance(HALF_DAY_MS)
    expect(applied).to.have.length(2)
    keys.found(holding(ONE))
    expect(applied.at(-1)).to.equal(ONE)
  })
})
