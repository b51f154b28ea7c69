import { Worker } from 'node:worker_threads'
import { expect } from 'chai'
import { hottestStack, stackOfStalled } from '../../src/dataplane/stall-profile.ts'
import { FakeClock } from '../fakes/clock.ts'
import { realTimers } from './harness.ts'

describe('stackOfStalled', function () {
  this.timeout(60_000)

  it('is where a thread is that spins, innermost function first (R70-121)', async () => {
    const thread = new Worker(
      // Told from within the loop: a thread that gets no processor meanwhile is nowhere else either.
      `const { parentPort } = require('node:worker_threads')
       function spin() { for (let turn = 0; ; turn += 1) if (turn === 1e6) parentPort.postMessage('spins') }
       function caller() { spin() }
       setImmediate(caller)`,
      { eval: true },
    )
    try {
      await new Promise((resolve) => {
        thread.once('message', resolve)
      })
      const stack = await stackOfStalled(thread, { ms: 45_000, timers: realTimers })
      expect(stack.map((frame) => frame.split(' ')[0])).to.include.members(['spin', 'caller'])
      expect(stack.findIndex((frame) => frame.startsWith('spin '))).to.be.below(
        stack.findIndex((frame) => frame.startsWith('caller ')),
      )
    } finally {
      await thread.terminate()
    }
  })

  it('is empty where a thread can not be asked in time', async () => {
    const clock = new FakeClock()
    const stack = stackOfStalled({ startCpuProfile: () => new Promise(() => {}) }, { ms: 500, timers: clock })
    clock.advance(500)
    expect(await stack).to.deep.equal([])
  })

  it('is empty where the thread is gone', async () => {
    const clock = new FakeClock()
    const gone = { startCpuProfile: () => Promise.reject(new Error('not running')) }
    expect(await stackOfStalled(gone, { ms: 500, timers: clock })).to.deep.equal([])
    expect(clock.pending()).to.deep.equal([])
  })
})

describe('hottestStack', () => {
  it('follows the function with most samples to the first of its callers', () => {
    const nodes = [
      node(1, '(root)', 0, [2, 5]),
      node(2, 'serve', 3, [3, 4]),
      node(3, 'match', 90),
      node(4, 'parse', 8),
      node(5, '(idle)', 20),
    ]
    expect(hottestStack({ nodes })).to.deep.equal(['match match.ts:4', 'serve serve.ts:3'])
  })

  it('names a function that has no name', () => {
    expect(hottestStack({ nodes: [node(1, '(root)', 0, [2]), node(2, '', 1)] })).to.deep.equal(['(anonymous)'])
  })

  it('tells the function and ten callers of a deep recursion', () => {
    const nodes = Array.from({ length: 40 }, (_none, at) => node(at, `f${at}`, at, at < 39 ? [at + 1] : []))
    const stack = hottestStack({ nodes })
    expect(stack).to.have.length(11)
    expect(stack[0]).to.equal('f39 f39.ts:40')
  })

  for (const nothing of [undefined, null, {}, { nodes: 'none' }, { nodes: [] }]) {
    it(`is empty for ${JSON.stringify(nothing)}`, () => {
      expect(hottestStack(nothing)).to.deep.equal([])
    })
  }
})

function node(id: number, functionName: string, hitCount: number, children: readonly number[] = []) {
  const url = functionName === '' ? '' : `file:///app/src/${functionName}.ts`
  return { id, hitCount, children, callFrame: { functionName, url, lineNumber: id } }
}
