import { expect } from 'chai'
import { WriteBlocks } from '../../src/controllers/write-blocks.ts'
import { FakeClock } from '../fakes/clock.ts'

describe('WriteBlocks (R30-30)', () => {
  let clock: FakeClock
  let opened: string[]
  let blocks: WriteBlocks

  beforeEach(() => {
    clock = new FakeClock()
    opened = []
    blocks = new WriteBlocks({ blockMs: 300_000, timers: clock, onOpen: (key) => opened.push(key) })
  })

  it('hold one kind of write for their time, and then tell of all that waited', () => {
    expect(blocks.holds('status', 'a')).to.equal(false)
    expect(blocks.block('status', 'a')).to.equal(true)
    expect([blocks.holds('status', 'b'), blocks.holds('object', 'b')]).to.deep.equal([true, false])
    clock.advance(299_999)
    expect(opened).to.deep.equal([])
    clock.advance(1)
    expect(opened).to.deep.equal(['a', 'b'])
    expect(blocks.holds('status', 'a')).to.equal(false)
  })

  it('are news once, until a write was allowed again', () => {
    expect(blocks.block('status', 'a')).to.equal(true)
    clock.advance(300_000)
    expect(blocks.block('status', 'a')).to.equal(false)
    clock.advance(300_000)
    blocks.allowed('status')
    expect(blocks.block('status', 'a')).to.equal(true)
    blocks.clear()
    expect(clock.pending()).to.deep.equal([])
  })
})
