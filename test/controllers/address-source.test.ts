import { expect } from 'chai'
import {
  type AddressSource,
  fixedAddresses,
  NO_ADDRESSES,
  nodeAddresses,
  serviceAddresses,
} from '../../src/controllers/address-source.ts'
import { isLastReplica } from '../../src/controllers/last-replica.ts'
import { type OwnPods, ownPods } from '../../src/controllers/own-pods.ts'
import { PROCESS } from '../../src/controllers/process-ref.ts'
import { type MakeInformer, writerInformers } from '../../src/controllers/writer-informers.ts'
import { ApiClient } from '../../src/runtime/client.ts'
import type { Runnable } from '../../src/runtime/manager.ts'
import { plainAccess } from '../fakes/access.ts'
import { FakeApiServer, type FakeObject } from '../fakes/api-server.ts'
import { eventually, FakeClock } from '../fakes/clock.ts'
import { FakeLogger } from '../fakes/logger.ts'
import { fixedRandom } from '../fakes/random.ts'

const SERVICES = '/api/v1/namespaces/edge/services'
const SLICES = '/apis/discovery.k8s.io/v1/namespaces/edge/endpointslices'
const NODES = '/api/v1/nodes'
/** `--watch-timeout` and `--resync-period`. */
const TIMES = { watchTimeoutMs: 60_000, resyncPeriodMs: 45_000 }
const SERVICE = { namespace: 'edge', name: 'balancer' }

function service(fields: Readonly<Record<string, unknown>>): FakeObject {
  return { metadata: { name: 'balancer', namespace: 'edge' }, ...fields }
}

function slice(...pods: readonly (readonly [address: string, node: string])[]): FakeObject {
  const endpoints = pods.map(([address, nodeName]) => ({ addresses: [address], nodeName }))
  return { metadata: { name: 'ramjet-admin-1', namespace: 'edge' }, endpoints }
}

function node(name: string, ...addresses: readonly (readonly [type: string, address: string])[]): FakeObject {
  return { metadata: { name }, status: { addresses: addresses.map(([type, address]) => ({ type, address })) } }
}

describe('address sources (R30-37)', () => {
  let server: FakeApiServer
  let clock: FakeClock
  let client: ApiClient
  let makeInformer: MakeInformer
  let stop: AbortController
  let running: Promise<void>[]
  let changes: number

  beforeEach(async () => {
    server = new FakeApiServer()
    clock = new FakeClock()
    const access = plainAccess(await server.start())
    client = new ApiClient({ access, clock, timers: clock, callTimeoutMs: 30_000, userAgent: 'ramjet/test' })
    const waits = { ...TIMES, askAgainMs: 60_000, stallMarginMs: 30_000 }
    const log = new FakeLogger()
    makeInformer = writerInformers({ client, ...waits, clock, timers: clock, random: fixedRandom(0.5), log })
    stop = new AbortController()
    running = []
    changes = 0
  })

  afterEach(async () => {
    stop.abort(new Error('over'))
    await Promise.all(running)
    await client.close()
    await server.stop()
  })

  function run(...parts: readonly Runnable[]): void {
    running.push(...parts.map((part) => part.run(stop.signal)))
  }

  function watch(source: AddressSource): AddressSource {
    source.onChange(() => {
      changes += 1
    })
    run(...source.parts)
    return source
  }

  it('are none where nobody asked, which is not the same as no address', () => {
    expect(NO_ADDRESSES.current()).to.equal(undefined)
  })

  it('are what --publish-address says, by IP address or name, each once', () => {
    expect(fixedAddresses(['edge.example', '192.0.2.7', '192.0.2.7']).current()).to.have.deep.members([
      { ip: '192.0.2.7' },
      { hostname: 'edge.example' },
    ])
  })

  it('are the addresses of a Service: of its balancer, else external ones, else none, as they change', async () => {
    server.serve(SERVICES, service({ spec: { externalIPs: ['198.51.100.2', '198.51.100.1'] } }))
    const source = watch(serviceAddresses(SERVICE, makeInformer))
    expect(source.current(), 'not read yet').to.equal(undefined)
    await eventually(() => source.current() !== undefined)
    expect(source.current()).to.deep.equal([{ ip: '198.51.100.1' }, { ip: '198.51.100.2' }])
    const before = changes
    server.put(SERVICES, service({ status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } } }))
    await eventually(() => changes > before)
    expect(source.current()).to.deep.equal([{ ip: '192.0.2.1' }])
    server.put(SERVICES, service({ spec: {} }))
    await eventually(() => source.current()?.length === 0)
    const asked = server.requests.filter(({ path }) => path === SERVICES)
    expect(new Set(asked.map(({ query }) => query.get('fieldSelector')))).to.deep.equal(
      new Set(['metadata.name=balancer']),
    )
  })

  it('are listed anew at times, so that one whose event was lost is known after all (R30-8, R50-2)', async () => {
    server.serve(SERVICES, service({ spec: { externalIPs: ['192.0.2.1'] } }))
    const source = watch(serviceAddresses(SERVICE, makeInformer))
    // Its head has arrived too: the time for a call runs no more.
    await eventually(() => server.watching(SERVICES) === 1 && !clock.pending().includes(30_000))
    server.putSilently(SERVICES, service({ spec: { externalIPs: ['192.0.2.2'] } }))
    clock.advance(TIMES.resyncPeriodMs)
    await eventually(() => source.current()?.[0]?.ip === '192.0.2.2')
    const [watched] = server.requests.filter(({ path, query }) => path === SERVICES && query.has('watch'))
    expect(watched?.query.get('timeoutSeconds')).to.equal('60')
  })

  it('are not known where the Service is gone: what was written stays', async () => {
    server.serve(SERVICES, service({ status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } } }))
    const source = watch(serviceAddresses(SERVICE, makeInformer))
    await eventually(() => source.current() !== undefined)
    server.delete(SERVICES, 'edge/balancer')
    await eventually(() => source.current() === undefined)
  })

  function pods(): OwnPods {
    const own = ownPods({ namespace: 'edge', name: 'ramjet-admin' }, makeInformer)
    run(own.part)
    return own
  }

  it('are those of the nodes that run our pods, the external one before the internal', async () => {
    server.serve(SLICES, slice(['10.0.0.1', 'one'], ['10.0.0.2', 'two'], ['10.0.0.3', 'gone']))
    server.serve(
      NODES,
      node('one', ['InternalIP', '10.0.0.1'], ['ExternalIP', '192.0.2.1']),
      node('two', ['InternalIP', '10.0.0.2']),
      node('other', ['ExternalIP', '192.0.2.9']),
    )
    const source = watch(nodeAddresses(pods(), makeInformer))
    await eventually(() => source.current()?.length === 2)
    expect(source.current()).to.deep.equal([{ ip: '10.0.0.2' }, { ip: '192.0.2.1' }])
    const asked = server.requests.find(({ path }) => path === SLICES)
    expect(asked?.query.get('labelSelector')).to.equal('kubernetes.io/service-name=ramjet-admin')
  })

  it('say what may not be read, until it is granted (R30-48)', async () => {
    server.serve(SLICES, slice(['10.0.0.1', 'one']))
    server.serve(NODES, node('one', ['InternalIP', '10.0.0.1']))
    server.forbid('list', 'nodes')
    const source = watch(nodeAddresses(pods(), makeInformer))
    let told = 0
    source.onStatus(() => {
      told += 1
    })
    await eventually(() => source.warnings().length > 0)
    expect(source.warnings()).to.deep.equal([
      {
        reason: 'KindForbidden',
        object: PROCESS,
        field: 'list nodes',
        message: 'may not list nodes; asked again until it is granted',
      },
    ])
    expect(told).to.be.above(0)
    server.grant('list', 'nodes')
    // No call is under way that the time could end.
    await eventually(() => server.watching(SLICES) === 1 && !clock.pending().includes(30_000))
    clock.advance(60_000)
    await eventually(() => source.current()?.length === 1)
    expect(source.warnings()).to.deep.equal([])
  })

  it('know the last replica by the pods that are ready, and never guess (R30-38)', async () => {
    const log = new FakeLogger()
    expect(isLastReplica(undefined, '10.0.0.1', log)).to.equal(false)
    server.serve(SLICES)
    const own = pods()
    await eventually(() => server.watching(SLICES) === 1)
    expect([isLastReplica(own, '10.0.0.1', log), log.of('warn').length]).to.deep.equal([false, 2])
    server.put(SLICES, slice(['10.0.0.1', 'one'], ['10.0.0.2', 'two']))
    await eventually(() => own.all()?.length === 2)
    expect(isLastReplica(own, '10.0.0.1', log)).to.equal(false)
    server.put(SLICES, slice(['10.0.0.1', 'one']))
    await eventually(() => own.all()?.length === 1)
    expect([isLastReplica(own, '10.0.0.1', log), isLastReplica(own, undefined, log)]).to.deep.equal([true, false])
  })
})
