import { expect } from 'chai'
import { ViewCache } from '../../../src/dataplane/transport/view-cache.ts'

/** Sends so often that the buffer is remembered. */
function remember(views: ViewCache, buffer: Buffer): void {
  for (let send = 0; send < 16; send += 1) views.of(buffer, 0, 10)
}

describe('ViewCache', () => {
  it('gives the bytes that were asked for, wherever they lie', () => {
    const views = new ViewCache()
    const buffer = Buffer.from(Array.from({ length: 20_000 }, (_none, at) => at & 255))
    for (const [from, to] of [
      [0, 10],
      [3, 10],
      [0, 4096],
      [0, 4097],
      [5000, 20_000],
      [0, 20_000],
    ] as const) {
      remember(views, buffer)
      expect(views.of(buffer, from, to).equals(buffer.subarray(from, to))).to.equal(true)
    }
  })

  it('gives one view again for one length of the buffer that is written from again and again (R60-22)', () => {
    const views = new ViewCache()
    const buffer = Buffer.alloc(8192)
    remember(views, buffer)
    const view = views.of(buffer, 0, 300)
    buffer.write('changed')
    expect(views.of(buffer, 0, 300)).to.equal(view)
    expect(view.toString('latin1', 0, 7)).to.equal('changed')
  })

  it('keeps the buffer it knows when others are sent in between', () => {
    const views = new ViewCache()
    const [often, seldom] = [Buffer.alloc(8192), Buffer.alloc(8192)]
    remember(views, often)
    const view = views.of(often, 0, 300)
    for (let turn = 0; turn < 50; turn += 1) {
      expect(views.of(seldom, 0, 300)).to.not.equal(view)
      expect(views.of(often, 0, 300)).to.equal(view)
    }
  })

  it('forgets a buffer that was given away, and takes up the next one', () => {
    const views = new ViewCache()
    const [first, second] = [Buffer.alloc(8192), Buffer.alloc(8192)]
    remember(views, first)
    const given = views.of(first, 0, 300)
    views.forget(first)
    expect(views.of(first, 0, 300)).to.not.equal(given)
    remember(views, second)
    expect(views.of(second, 0, 300)).to.equal(views.of(second, 0, 300))
  })

  it('gives a whole buffer as it is', () => {
    const buffer = Buffer.alloc(100)
    expect(new ViewCache().of(buffer, 0, 100)).to.equal(buffer)
  })
})
