import { BroadcastChannel } from 'node:worker_threads'
import { expect } from 'chai'
import { pairOf, type Sites } from '../builders/pair.ts'
import { type Harness, startHarness, until } from './harness.ts'

const CHANNEL = 'ramjet-test-late-worker'
const WEB: Sites = { 'web.example': ['192.0.2.1:80'] }

/**
 * A worker that says it built whatever it was sent, without building. Worker 0 takes its time over generation 2, until
 * it hears `go on`; worker 1 says when it has acknowledged that, and exits when it hears `exit`.
 */
const ACKNOWLEDGING = `
  import { BroadcastChannel, parentPort, workerData } from 'node:worker_threads'
  const channel = new BroadcastChannel('${CHANNEL}')
  const { promise: mayGoOn, resolve: goOn } = Promise.withResolvers()
  channel.onmessage = ({ data }) => {
    if (data === 'go on') goOn()
    if (data === 'exit' && workerData.index === 1) process.exit(3)
  }
  setInterval(() => Atomics.add(new Int32Array(workerData.heartbeat), 0, 1), workerData.heartbeatMs)
  const say = (message) => parentPort.postMessage(message)
  parentPort.on('message', async ({ kind, sequence, delta }) => {
    if (kind === 'build') {
      if (workerData.index === 0 && delta.generation === 2) await mayGoOn
      say({ kind: 'built', sequence, digest: delta.digest, endpointsDigest: delta.endpointsDigest })
      if (workerData.index === 1 && delta.generation === 2) channel.postMessage('acknowledged')
    }
    if (kind === 'assign') say({ kind: 'assigned', sequence })
    if (kind === 'listen') say({ kind: 'listening', bound: [] })
  })
`

describe('a worker that comes while a pair is built', function () {
  this.timeout(30_000)
  const channel = new BroadcastChannel(CHANNEL)
  let harness: Harness
  afterEach(() => harness.stop())
  after(() => channel.close())

  it('begins with the pair before, and has the new one as soon as that serves (R00-12)', async () => {
    const workerEntry = new URL(`data:text/javascript,${encodeURIComponent(ACKNOWLEDGING)}`)
    harness = await startHarness({ workers: 2, workerEntry })
    const { plane } = harness
    const generations = (): readonly number[] => plane.workers().map(({ generation }) => generation)
    await plane.apply(pairOf(WEB))

    const acknowledged = new Promise((resolve) => {
      channel.addEventListener('message', resolve, { once: true })
    })
    const applying = plane.apply(pairOf({ ...WEB, 'new.example': [] }, { generation: 2 }))
    await acknowledged
    channel.postMessage('exit')
    await until(() => plane.workerRestarts().exit === 1 && plane.workers()[1]?.state === 'serving')
    expect(generations()).to.deep.equal([1, 1])

    channel.postMessage('go on')
    expect(await applying).to.deep.equal({ kind: 'applied' })
    await until(() => generations()[1] === 2)
  })
})
