import { constants } from 'node:http2'
import { expect } from 'chai'
import { DEFAULT_LIMITS } from '../../../src/dataplane/engine-limits.ts'
import { createRandom, type Random } from '../../../src/lib/random.ts'
import type { OriginHandler, OriginResponse } from '../../fakes/protocol-origin.ts'
import type { StartBench } from '../engine.ts'
import { request } from './bench.ts'
import { PROTOCOLS, protocolSetup, type Started } from './protocol-bench.ts'

const CLIENTS = 12
const ROUNDS = 10
const STREAMS = 5
const PLACES = STREAMS * DEFAULT_LIMITS.upstreamH2Sessions

/** Whatever peers do to each other, nothing is left behind: R20-154, R70-54, R70-70. */
export function backendChaosCases(start: StartBench): void {
  const setup = protocolSetup(start)

  for (const protocol of PROTOCOLS) {
    it(`${protocol}: upstreams that break off, refuse and go, and clients that leave, cost themselves alone`, async () => {
      const random = createRandom(new Uint32Array([1, 2, 3, 4]))
      const settings = { maxConcurrentStreams: STREAMS }
      const started = await setup.start(protocol, {}, protocol === 'https' ? {} : { options: { settings } })
      const { bench, origin } = started
      origin.handler = chaos(started, random)
      for (let round = 0; round < ROUNDS; round += 1) {
        await Promise.all(Array.from({ length: CLIENTS }, () => visit(started, random)))
      }
      await bench.quiet()
      const { counters } = bench
      expect(counters.inFlight(1)).to.equal(0)
      expect(counters.process('requestsInFlight')).to.equal(0)
      expect(counters.process('bufferedBytes')).to.equal(0)
      expect(bench.holds.open).to.equal(0)
      origin.handler = (incoming, response) => void incoming.resume().on('end', () => response.end('well'))
      // No place in a session is lost: as many requests as all of them take are served at once.
      const clients = await Promise.all(Array.from({ length: PLACES }, () => bench.get('/')))
      await Promise.all(clients.map((client) => client.until('well')))
    })
  }
}

async function visit({ bench }: Started, random: Random): Promise<void> {
  const body = 'x'.repeat(Math.floor(random() * 40_000))
  const client = await bench.send(
    random() < 0.5
      ? request('GET', '/', ['Connection: close'])
      : request('POST', '/', ['Connection: close', `Content-Length: ${body.length}`], body),
  )
  if (random() < 0.3) {
    const turns = Math.floor(random() * 30)
    for (let turn = 0; turn < turns; turn += 1) await bench.turn()
    client.reset()
    return
  }
  await client.untilEnd()
  client.end()
}

function chaos({ origin }: Started, random: Random): OriginHandler {
  return (incoming, response) => {
    const choice = random()
    if (choice < 0.5) incoming.resume().on('end', () => response.end('y'.repeat(Math.floor(random() * 100_000))))
    else if (choice < 0.6) response.end('early')
    else if (choice < 0.7) {
      if ('stream' in response) response.writeHead(200)
      else response.flushHeaders()
      setImmediate(() => breakOff(response, constants.NGHTTP2_INTERNAL_ERROR))
    } else if (choice < 0.8) breakOff(response, constants.NGHTTP2_REFUSED_STREAM)
    else if (choice < 0.9) breakOff(response, constants.NGHTTP2_CANCEL)
    else if (choice < 0.95 && 'stream' in response) response.stream.session?.goaway(constants.NGHTTP2_NO_ERROR)
    else origin.sockets[Math.floor(random() * origin.sockets.length)]?.destroy()
    // Whoever got no answer above is cut in the end.
    setTimeout(() => breakOff(response, constants.NGHTTP2_CANCEL), 30)
  }
}

function breakOff(response: OriginResponse, code: number): void {
  if ('stream' in response) response.stream.close(code)
  else response.destroy()
}
