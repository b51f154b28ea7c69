import { BroadcastChannel } from 'node:worker_threads'
import { expect } from 'chai'
import { joinBuild, splitBuild } from '../../src/dataplane/build-parts.ts'
import { diffPairs } from '../../src/dataplane/delta.ts'
import type { BuildMessage } from '../../src/dataplane/worker-protocol.ts'
import { pairOf, type Sites } from '../builders/pair.ts'
import { type Harness, startHarness, until } from './harness.ts'

const CHANNEL = 'ramjet-test-build-parts'

function sitesOf(count: number): Sites {
  return Object.fromEntries(Array.from({ length: count }, (_none, at) => [`host-${at}.example`, ['192.0.2.1:80']]))
}

function messageOf(before: Sites, after: Sites): BuildMessage {
  const names = Object.keys(after)
  return {
    kind: 'build',
    sequence: 7,
    delta: diffPairs(pairOf(before), pairOf(after, { generation: 2 })),
    routeRows: { freed: Object.keys(before), set: names.map((name, at) => [name, at]) },
    endpointRows: { freed: [], set: [['192.0.2.1:80', 3]] },
    segments: [new SharedArrayBuffer(8)],
  }
}

describe('splitBuild', () => {
  for (const { title, before, after, parts } of [
    { title: 'what is small as it is', before: {}, after: sitesOf(500), parts: 0 },
    { title: 'new hosts', before: {}, after: sitesOf(501), parts: 1 },
    { title: 'many new hosts', before: {}, after: sitesOf(1_700), parts: 3 },
    { title: 'hosts that go', before: sitesOf(1_001), after: {}, parts: 2 },
  ]) {
    it(`sends ${title} in ${parts} parts and a last one, which together are the message`, () => {
      const message = messageOf(before, after)
      const split = splitBuild(message)
      expect(split.parts).to.have.length(parts)
      for (const { delta, routeRows } of [...split.parts, split.last]) {
        for (const { set, removed } of [delta.hosts, delta.backends, delta.endpoints]) {
          expect(Math.max(set.length, removed.length)).to.be.at.most(500)
        }
        expect(Math.max(routeRows.set.length, routeRows.freed.length)).to.be.at.most(500)
      }
      expect(joinBuild(split.parts, split.last)).to.deep.equal(message)
    })
  }
})

/** Keeps apart what it reads at once, and says so; it builds nothing and says that it did. */
const READING = `
  import { BroadcastChannel, parentPort, workerData } from 'node:worker_threads'
  const channel = new BroadcastChannel('${CHANNEL}')
  setInterval(() => Atomics.add(new Int32Array(workerData.heartbeat), 0, 1), workerData.heartbeatMs)
  const say = (message) => parentPort.postMessage(message)
  let isReading = false
  parentPort.on('message', ({ kind, sequence, delta }) => {
    if (kind === 'part' || kind === 'build') {
      channel.postMessage({ kind, hosts: delta.hosts.set.length, isEarly: isReading })
    }
    if (kind === 'part') {
      isReading = true
      setTimeout(() => {
        isReading = false
        say({ kind: 'took', sequence })
      }, 5)
    }
    if (kind === 'build') say({ kind: 'built', sequence, digest: delta.digest, endpointsDigest: delta.endpointsDigest })
    if (kind === 'assign') say({ kind: 'assigned', sequence })
    if (kind === 'listen') say({ kind: 'listening', bound: [] })
  })
`

describe('a large change', function () {
  this.timeout(60_000)
  let harness: Harness
  afterEach(() => harness.stop())

  it('is read by a worker that serves part after part, each when it has asked for it', async () => {
    const channel = new BroadcastChannel(CHANNEL)
    const read: unknown[] = []
    channel.addEventListener('message', ({ data }: MessageEvent) => read.push(data))
    try {
      const workerEntry = new URL(`data:text/javascript,${encodeURIComponent(READING)}`)
      harness = await startHarness({ workers: 1, workerEntry })
      // Who serves nothing keeps nobody waiting.
      await harness.plane.apply(pairOf(sitesOf(700)))
      await harness.plane.apply(pairOf(sitesOf(1_950), { generation: 2 }))
      await until(() => read.length === 4)
      expect(read).to.deep.equal([
        { kind: 'build', hosts: 700, isEarly: false },
        { kind: 'part', hosts: 500, isEarly: false },
        { kind: 'part', hosts: 500, isEarly: false },
        { kind: 'build', hosts: 250, isEarly: false },
      ])
    } finally {
      channel.close()
    }
  })

  it('serves as a whole, and so does the next', async () => {
    harness = await startHarness({ workers: 2 })
    await harness.plane.apply(pairOf({ 'web.example': ['192.0.2.1:80'] }))
    for (const generation of [2, 3]) {
      const sites = sitesOf(700 * generation)
      expect(await harness.plane.apply(pairOf(sites, { generation }))).to.deep.equal({ kind: 'applied' })
      for (const host of ['host-0.example', `host-${700 * generation - 1}.example`]) {
        expect(await harness.ask(host)).to.include({ generation, status: 200 })
      }
    }
    expect((await harness.ask('web.example')).status).to.equal(404)
  })
})
