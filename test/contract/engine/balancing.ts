import { expect } from 'chai'
import type { HashKey } from '../../../src/model/route-table.ts'
import type { RawUpstream } from '../../fakes/upstream.ts'
import type { StartBench } from '../engine.ts'
import { BACKEND, type BenchOptions, type EngineBench, HOST } from './bench.ts'

/** What engines do for the choice of an endpoint: R20-134, R20-135, R20-138, R20-151, R20-152. */
export function balancingCases(start: StartBench): void {
  /** A bench before three origins that answer with their number. */
  async function threeOrigins(options: BenchOptions = {}): Promise<Origins> {
    const bench = await start(options)
    const upstreams = [bench.upstream, await bench.addUpstream(), await bench.addUpstream()]
    for (const [number, upstream] of upstreams.entries()) upstream.answer(answerOf(number))
    const addresses = upstreams.map(({ address }) => address)
    bench.assign(addresses)
    return { bench, upstreams, addresses }
  }

  describe('the policy hash', () => {
    for (const { what, key, textOf } of [
      {
        what: 'a header',
        key: { kind: 'header', name: 'x-user' },
        textOf: (user) => requestOf('/', `X-User: ${user}`),
      },
      {
        what: 'a cookie',
        key: { kind: 'cookie', name: 'user' },
        textOf: (user) => requestOf('/', `Cookie: a=b; user=${user}`),
      },
      { what: 'an argument', key: { kind: 'query', name: 'user' }, textOf: (user) => requestOf(`/?x=1&user=${user}`) },
      { what: 'the path', key: { kind: 'uri' }, textOf: (user) => requestOf(`/${user}`) },
      { what: 'path and query', key: { kind: 'requestUri' }, textOf: (user) => requestOf(`/?${user}`) },
    ] satisfies readonly Keyed[]) {
      it(`R20-138: sends requests alike in ${what} to one endpoint, and others elsewhere`, async () => {
        const { bench } = await threeOrigins(hashOf(key))
        const byUser = new Map<string, string>()
        for (let user = 0; user < USERS; user += 1) byUser.set(`u${user}`, await answerTo(bench, textOf(`u${user}`)))
        expect(new Set(byUser.values()).size).to.equal(3)
        for (const [user, origin] of [...byUser].slice(0, 9))
          expect(await answerTo(bench, textOf(user))).to.equal(origin)
      })
    }

    it('R20-50: goes by the client that a trusted proxy names', async () => {
      const { bench } = await threeOrigins({
        ...hashOf({ kind: 'remoteAddr' }),
        settings: { trustedProxies: ['127.0.0.0/8'] },
      })
      const from = (client: number): Promise<string> =>
        answerTo(bench, requestOf('/', `X-Forwarded-For: 198.51.100.${client}`))
      const answers = new Map<number, string>()
      for (let client = 1; client <= USERS; client += 1) answers.set(client, await from(client))
      expect(new Set(answers.values()).size).to.equal(3)
      for (const [client, origin] of [...answers].slice(0, 9)) expect(await from(client)).to.equal(origin)
    })

    it('keeps to its second choice while the first takes no connection', async () => {
      const { bench, upstreams } = await threeOrigins(hashOf({ kind: 'uri' }))
      const first = Number(await answerTo(bench, requestOf('/key')))
      upstreams[first]?.stop()
      const second = await answerTo(bench, requestOf('/key'))
      expect(second).to.not.equal(String(first))
      for (let turn = 0; turn < 4; turn += 1) expect(await answerTo(bench, requestOf('/key'))).to.equal(second)
    })
  })

  describe('the policy ewma', () => {
    it('R20-134: leaves an endpoint that took longer to answer', async () => {
      const { bench, upstreams } = await threeOrigins({ backend: { policy: 'ewma' } })
      // The point of this bench names the first two of three; of those nothing is known, so that the first is taken.
      upstreams[0]?.answerWith((_head, connection) => {
        bench.clock.advance(300)
        connection.write(answerOf(0))
      })
      expect(await answerTo(bench, requestOf('/'))).to.equal('0')
      for (let turn = 0; turn < 4; turn += 1) expect(await answerTo(bench, requestOf('/'))).to.equal('2')
    })

    it('leaves one that was given up', async () => {
      const { bench, upstreams } = await threeOrigins({
        backend: { policy: 'ewma' },
        limits: { responseTimeoutMs: 1000 },
      })
      upstreams[0]?.answerWith(() => bench.clock.advance(1001))
      await (await bench.send(requestOf('/'))).until('\n504')
      upstreams[0]?.answer(answerOf(0))
      expect(await answerTo(bench, requestOf('/'))).to.equal('2')
    })
  })

  describe('active checks', () => {
    it('R20-151: an endpoint that failed its checks gets no request until it is well', async () => {
      const { bench, addresses } = await threeOrigins()
      const [, sick = ''] = addresses
      bench.failedChecks.change([{ backend: BACKEND, address: sick, isFailed: true }])
      const answers = new Set<string>()
      for (let turn = 0; turn < 6; turn += 1) answers.add(await answerTo(bench, requestOf('/')))
      expect(answers).to.have.keys('0', '2')
      bench.failedChecks.change([{ backend: BACKEND, address: sick, isFailed: false }])
      for (let turn = 0; turn < 3; turn += 1) answers.add(await answerTo(bench, requestOf('/')))
      expect(answers).to.have.keys('0', '1', '2')
    })

    it('R20-152: where every endpoint failed, all are used', async () => {
      const { bench, addresses } = await threeOrigins()
      bench.failedChecks.change(addresses.map((address) => ({ backend: BACKEND, address, isFailed: true })))
      for (let turn = 0; turn < 4; turn += 1) expect(await answerTo(bench, requestOf('/'))).to.match(/^[012]$/)
    })

    it('concern the backend that they were made for, and no other with that address', async () => {
      const { bench, addresses } = await threeOrigins()
      bench.failedChecks.change(addresses.map((address) => ({ backend: 'shop/api:80', address, isFailed: true })))
      const answers = new Set<string>()
      for (let turn = 0; turn < 3; turn += 1) answers.add(await answerTo(bench, requestOf('/')))
      expect(answers.size).to.equal(3)
    })
  })
}

// Ports, and so the places on a ring, are chance: that so many keys leave out one of three is as good as impossible.
const USERS = 50

function hashOf(...key: HashKey): BenchOptions {
  return { backend: { policy: { kind: 'hash', key } } }
}

interface Origins {
  readonly bench: EngineBench
  readonly upstreams: readonly RawUpstream[]
  readonly addresses: readonly string[]
}

interface Keyed {
  readonly what: string
  readonly key: HashKey[number]
  readonly textOf: (user: string) => string
}

function answerOf(number: number): string {
  return `HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\norigin-${number}!`
}

function requestOf(target: string, ...lines: readonly string[]): string {
  return `${[`GET ${target} HTTP/1.1`, `Host: ${HOST}`, ...lines].join('\r\n')}\r\n\r\n`
}

/** The number of the origin that answers. */
async function answerTo(bench: EngineBench, text: string): Promise<string> {
  const client = await bench.send(text)
  const answer = await client.until('!')
  return /origin-(\d)!/.exec(answer)?.[1] ?? answer
}
