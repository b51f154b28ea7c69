import { totalmem } from 'node:os'
import { expect } from 'chai'
import { cgroupLimit, defaultBufferBudget, memoryLimit, workerHeapMb } from '../../src/dataplane/memory.ts'

const MIB = 1024 * 1024

describe('workerHeapMb', () => {
  it('splits 60 % of the memory over workers and main (R70-127)', () => {
    expect(workerHeapMb(512 * MIB, 2)).to.equal(102)
    expect(workerHeapMb(4096 * MIB, 3)).to.equal(614)
  })

  it('leaves a worker what it needs to start', () => {
    expect(workerHeapMb(64 * MIB, 8)).to.equal(32)
  })
})

describe('defaultBufferBudget', () => {
  it('is a quarter of the limit, and 256 MiB without one (R20-122)', () => {
    expect(defaultBufferBudget(512 * MIB)).to.equal(128 * MIB)
    expect(defaultBufferBudget(undefined)).to.equal(256 * MIB)
  })
})

describe('cgroupLimit', () => {
  it('is what memoryLimit says, where there is one', () => {
    expect(cgroupLimit() ?? totalmem()).to.equal(memoryLimit())
  })
})

describe('memoryLimit', () => {
  it('is never above what the machine has', () => {
    expect(memoryLimit()).to.be.above(0).and.at.most(totalmem())
  })
})
