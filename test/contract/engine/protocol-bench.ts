// A bench whose backend is spoken to in another protocol, and the origin behind it.
import type { Backend } from '../../../src/model/route-table.ts'
import type { BackendProtocol, UpstreamTls } from '../../../src/model/upstream-tls.ts'
import { type KeyPair, makeCertificate } from '../../fakes/certificates.ts'
import { type OriginHandler, type OriginOptions, ProtocolOrigin } from '../../fakes/protocol-origin.ts'
import type { StartBench } from '../engine.ts'
import type { BenchOptions, EngineBench } from './bench.ts'

/** The name that origins have a certificate for. */
export const ORIGIN_NAME = 'web.shop.svc'

export const PROTOCOLS: readonly BackendProtocol[] = ['https', 'h2c', 'h2']
export const H2_PROTOCOLS: readonly BackendProtocol[] = ['h2c', 'h2']

/** An identity that verifies by `pair`'s own certificate; `digest` says what is another one than it. */
export function identity(pair: KeyPair, fields: Partial<UpstreamTls> = {}): UpstreamTls {
  return {
    verify: true,
    serverName: ORIGIN_NAME,
    sendsServerName: true,
    authorities: pair.cert,
    maxDepth: 1,
    digest: JSON.stringify(fields),
    ...fields,
  }
}

export interface Started {
  readonly bench: EngineBench
  readonly origin: ProtocolOrigin
}

export interface ProtocolSetup {
  readonly pair: KeyPair
  start(protocol: BackendProtocol | 'http', bench?: BenchOptions, origin?: OriginOptions): Promise<Started>
  /** Another origin, stopped with the rest. */
  origin(protocol: BackendProtocol | 'http', options?: OriginOptions): Promise<ProtocolOrigin>
}

/** To be called where cases are declared. */
export function protocolSetup(start: StartBench): ProtocolSetup {
  const origins: ProtocolOrigin[] = []
  let pair: KeyPair = { cert: '', key: '' }

  before(() => {
    pair = makeCertificate([ORIGIN_NAME])
  })
  afterEach(() => {
    for (const origin of origins.splice(0)) origin.stop()
  })

  const begin: ProtocolSetup['origin'] = async (protocol, options = {}) => {
    const origin = await ProtocolOrigin.start(protocol, { pair, ...options })
    origins.push(origin)
    return origin
  }
  return {
    get pair() {
      return pair
    },
    origin: begin,
    start: async (protocol, options = {}, originOptions = {}) => {
      const origin = await begin(protocol, originOptions)
      const backend = { ...wayTo(protocol, pair), ...options.backend }
      return { origin, bench: await start({ endpoints: [origin.address], ...options, backend }) }
    },
  }
}

/** How a backend is dialled whose origin speaks this, with that certificate. */
function wayTo(protocol: BackendProtocol | 'http', pair: KeyPair): Partial<Backend> {
  switch (protocol) {
    case 'http':
      return {}
    case 'h2c':
      return { protocol }
    case 'https':
    case 'h2':
      return { protocol, tls: identity(pair) }
  }
}

type Writable = Parameters<OriginHandler>[1]

/** Both kinds of responses take a chunk; their types agree on nothing else. False: it waits, and `drain` follows. */
export function writeTo(response: Writable, chunk: string | Buffer): boolean {
  return 'stream' in response ? response.write(chunk) : response.write(chunk)
}

/** Ends a response before its end. */
export function breakOff(response: Writable): void {
  if ('stream' in response) response.stream.close(2)
  else response.destroy()
}

/** Sends the body back as it comes, and behind it what came as a trailer. */
export const echo: OriginHandler = (incoming, response) => {
  incoming.on('data', (chunk: Buffer) => {
    if (!writeTo(response, chunk)) incoming.pause()
  })
  response.on('drain', () => incoming.resume())
  incoming.on('end', () => {
    response.addTrailers({ 'x-came': String(incoming.trailers['x-sum'] ?? 'none') })
    response.end()
  })
}
