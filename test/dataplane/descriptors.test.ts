import { expect } from 'chai'
import { descriptorShare, idleRoom, readOpenFilesLimit } from '../../src/dataplane/descriptors.ts'

describe('descriptorShare', () => {
  for (const [limit, workers, connections, sockets] of [
    [1_048_576, 4, 131_008, 262_080],
    [1024, 2, 128, 384],
    [64, 1, 8, 40],
    [64, 8, 1, 5],
    [4, 4, 1, 2],
  ] as const) {
    it(`R20-97: of ${limit} descriptors each of ${workers} workers may have ${connections} connections`, () => {
      expect(descriptorShare(limit, workers)).to.deep.equal({ connections, sockets })
    })
  }

  it('leaves half of the reserve when every worker is full and keeps all the idle sockets that it may', () => {
    for (const limit of [256, 700, 1024, 65_536]) {
      for (const workers of [1, 2, 7]) {
        const { connections, sockets } = descriptorShare(limit, workers)
        const used = workers * (2 * connections + idleRoom(sockets, connections))
        expect(limit - used, `${limit}, ${workers}`).to.be.at.least(Math.min(256, Math.floor((limit * 3) / 8)))
      }
    }
  })

  it('sets no bound where the system does not say', () => {
    expect(descriptorShare(undefined, 2)).to.deep.equal({
      connections: Number.POSITIVE_INFINITY,
      sockets: Number.POSITIVE_INFINITY,
    })
  })
})

describe('idleRoom', () => {
  it('falls by two with every connection, to nothing', () => {
    expect([0, 1, 4, 5, 9].map((connections) => idleRoom(10, connections))).to.deep.equal([10, 8, 2, 0, 0])
  })
})

describe('readOpenFilesLimit', () => {
  it('tells what the system says of this process', async () => {
    expect(await readOpenFilesLimit()).to.be.above(0)
  })
})
