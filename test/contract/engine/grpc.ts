import { expect } from 'chai'
import { prefix } from '../../builders/route-table.ts'
import type { StartBench } from '../engine.ts'
import { type BenchOptions, bodyOf, type EngineBench, fieldOf, HOST, lineOf, request } from './bench.ts'
import { protocolSetup } from './protocol-bench.ts'

const DATE = 'Date: Thu, 01 Jan 2026 00:16:40 GMT'
const GRPC = 'Content-Type: application/grpc+proto'
const H2C = { protocol: 'h2c' } as const
const HINT =
  '502 Bad Gateway: gRPC requires an HTTP/2 backend; set nginx.ingress.kubernetes.io/backend-protocol: GRPC on the Ingress\n'

interface Row {
  readonly title: string
  readonly options?: BenchOptions
  readonly bytes: string
  readonly grpcStatus: number
  /** Of `grpc-message`: that what the answer says elsewhere. */
  readonly message: string
  readonly closes?: boolean
}

const call = (lines: readonly string[] = [], body = ''): string => request('POST', '/', [GRPC, ...lines], body)

const ROWS: readonly Row[] = [
  {
    title: 'R22-27: a body that is malformed is 13',
    options: { backend: H2C },
    bytes: call(['Transfer-Encoding: chunked'], 'x\r\n'),
    grpcStatus: 13,
    message: '400 Bad Request: the request is malformed.',
    closes: true,
  },
  {
    title: 'R22-30: no route is 12',
    bytes: call().replace(HOST, 'nobody.example'),
    grpcStatus: 12,
    message: '404 Not Found: no route takes this host and path.',
  },
  {
    title: 'R22-30: a method that is not served is 12',
    bytes: call().replace('POST', 'TRACE'),
    grpcStatus: 12,
    message: '405 Method Not Allowed: this method is not served here.',
  },
  {
    title: 'R22-32: a body above the limit is 8',
    options: { backend: H2C, policy: { maxBodyBytes: 4 } },
    bytes: call(['Content-Length: 5'], 'abcde'),
    grpcStatus: 8,
    message: '413 Content Too Large: the request body is larger than this route takes.',
    closes: true,
  },
  {
    title: 'R22-32: too many fields are 8',
    bytes: call(Array.from({ length: 200 }, () => 'a: b')),
    grpcStatus: 8,
    message: '431 Request Header Fields Too Large: the request has too many fields.',
    closes: true,
  },
  {
    title: 'R22-33: no endpoint is 14',
    options: { backend: H2C, endpoints: [] },
    bytes: call(),
    grpcStatus: 14,
    message: '503 Service Unavailable: the service has no endpoint at the moment.',
  },
  {
    title: 'R22-33: a route that cannot be served is 14',
    options: { refusing: { 'guarded.example': 'access-rule' } },
    bytes: call().replace(HOST, 'guarded.example'),
    grpcStatus: 14,
    message: '503 Service Unavailable: an access rule of this route cannot be applied.',
  },
  {
    title: 'R22-33: an endpoint that takes no connection is 14',
    // Nobody listens on the first port of all.
    options: { backend: H2C, endpoints: ['127.0.0.1:1'] },
    bytes: call(),
    grpcStatus: 14,
    message: '502 Bad Gateway: no endpoint took the connection.',
  },
]

/** What gRPC is answered by ourselves: R22-24 to R22-38. */
export function grpcCases(start: StartBench): void {
  const setup = protocolSetup(start)
  /** Behind an endpoint of HTTP/2 that never answers, unless the options name others. */
  const startSilent = async (options: BenchOptions): Promise<EngineBench> => {
    if (options.backend !== H2C || options.endpoints) return start(options)
    const { bench, origin } = await setup.start('h2c', options)
    origin.handler = () => undefined
    return bench
  }

  for (const { title, options = {}, bytes, grpcStatus, message, closes = false } of ROWS) {
    it(title, async () => {
      const bench = await startSilent(options)
      const client = await bench.send(bytes)
      expect((await client.until('\r\n\r\n')).split('\r\n')).to.deep.equal([
        'HTTP/1.1 200 OK',
        'Server: ramjet',
        'Content-Type: application/grpc',
        'Content-Length: 0',
        `grpc-status: ${grpcStatus}`,
        `grpc-message: ${message}`,
        ...(closes ? ['Connection: close'] : []),
        DATE,
        '',
        '',
      ])
      if (closes) {
        await client.untilEnd()
        return
      }
      client.write(request('GET', '/').replace(HOST, 'next.example'))
      expect(bodyOf(await client.until('\n404 '))).to.match(/^HTTP\/1.1 404 Not Found/)
    })
  }

  it('R22-31: an upstream that does not respond in time is 4', async () => {
    const { bench, origin } = await setup.start('h2c')
    const client = await bench.send(call())
    await new Promise<void>((resolve) => {
      origin.handler = () => resolve()
    })
    await bench.when(() => {
      bench.clock.advance(10_000)
      return client.text !== ''
    })
    expect(fieldOf(await client.until('\r\n\r\n'), 'grpc-status')).to.equal('4')
  })

  it('count as the status that the client was told, and as the limit that they are', async () => {
    const bench = await startSilent({ backend: H2C, policy: { maxBodyBytes: 4 } })
    await (await bench.send(call(['Content-Length: 5'], 'abcde'))).untilEnd()
    expect(bench.counters.process('responses2xx')).to.equal(1)
    expect(bench.counters.process('refusedBodySize')).to.equal(1)
  })

  describe('R22-35: have the ordinary form', () => {
    const ordinary: readonly (readonly [title: string, bytes: string, line: string])[] = [
      ['where the head is malformed', call(['A: \x01']), 'HTTP/1.1 400 Bad Request'],
      ['where the host is none', call().replace(HOST, 'a..b'), 'HTTP/1.1 400 Bad Request'],
      ['where the framing is ambiguous', call(['Content-Length: 3, 3'], 'abc'), 'HTTP/1.1 400 Bad Request'],
      ['for a coding that is not served', call(['Transfer-Encoding: gzip']), 'HTTP/1.1 501 Not Implemented'],
      ['for a target that is too long', call().replace('/', `/${'a'.repeat(17_000)}`), 'HTTP/1.1 414 URI Too Long'],
      ['for CONNECT', call().replace('POST /', `CONNECT ${HOST}:80`), 'HTTP/1.1 405 Method Not Allowed'],
      [
        'where the content type stands behind too many fields',
        request('POST', '/', [...Array.from({ length: 199 }, () => 'a: b'), GRPC]),
        'HTTP/1.1 431 Request Header Fields Too Large',
      ],
      [
        'R22-38: for gRPC-Web',
        request('POST', '/', ['Content-Type: application/grpc-web']).replace(HOST, 'nobody.example'),
        'HTTP/1.1 404 Not Found',
      ],
    ]
    for (const [title, bytes, line] of ordinary) {
      it(title, async () => {
        const bench = await start()
        const text = await (await bench.send(bytes)).until('\r\n\r\n')
        expect(lineOf(text)).to.equal(line)
        expect(fieldOf(text, 'Content-Type')).to.equal('text/plain; charset=utf-8')
      })
    }

    it('for redirects', async () => {
      const location = { base: 'origin', template: ['/x'], keepsQuery: false } as const
      const action = { kind: 'redirect', status: 308, location } as const
      const bench = await start({ routes: [prefix('', { id: 'shop', action })] })
      expect(lineOf(await (await bench.send(call())).until('\r\n\r\n'))).to.equal('HTTP/1.1 308 Permanent Redirect')
    })
  })

  it('R20-96: a call that sends below the rate, and to an upstream that says nothing yet, lives on', async () => {
    const { bench, origin } = await setup.start('h2c', { limits: { bodyTimeoutMs: 5000 } })
    let came = ''
    origin.handler = (incoming, response) => {
      incoming.on('data', (chunk: Buffer) => {
        came += chunk.toString()
      })
      incoming.on('end', () => response.end('done'))
    }
    const client = await bench.send(call(['Transfer-Encoding: chunked'], '1\r\n~\r\n'))
    for (let turn = 1; turn <= 5; turn += 1) {
      await bench.when(() => came.length === turn)
      bench.clock.advance(50_000)
      client.write('1\r\n~\r\n')
    }
    client.write('0\r\n\r\n')
    await client.until('done')
    expect(bench.counters.process('refusedBodyTimeout')).to.equal(0)
  })

  it('R20-96, R22-37: one in which nothing moves ends after the response idle time, and is told 4', async () => {
    const policy = { responseTimeoutMs: 300_000, upstreamSendTimeoutMs: 1000 }
    const { bench, origin } = await setup.start('h2c', { policy })
    let came = ''
    origin.handler = (incoming) => {
      incoming.on('data', (chunk: Buffer) => {
        came += chunk.toString()
      })
    }
    const client = await bench.send(call(['Transfer-Encoding: chunked'], '1\r\n~\r\n'))
    await bench.when(() => came === '~')
    bench.clock.advance(299_999)
    client.write('1\r\n~\r\n')
    await bench.when(() => came === '~~')
    expect(client.text).to.equal('')
    bench.clock.advance(300_000)
    expect(fieldOf(await client.until('\r\n\r\n'), 'grpc-status')).to.equal('4')
    expect(bench.counters.process('timeoutHead')).to.equal(1)
  })

  it('R22-37: a call is not read whole before it is sent, whatever the route asks for', async () => {
    const { bench, origin } = await setup.start('h2c', { policy: { requestBufferBytes: 1000 } })
    origin.handler = (_incoming, response) => void response.end('early')
    await (await bench.send(call(['Transfer-Encoding: chunked'], '1\r\n~\r\n'))).until('early')
  })

  it('R22-20: an answer with a length keeps its trailers: they say how the call ended', async () => {
    const { bench, origin } = await setup.start('h2c')
    origin.handler = (_incoming, response) => {
      response.setHeader('content-type', 'application/grpc')
      response.setHeader('content-length', 5)
      response.addTrailers({ 'grpc-status': '0' })
      response.end('\0\0\0\0\0')
    }
    const text = await (await bench.send(call())).until('\r\n0\r\n')
    expect(fieldOf(text, 'content-length')).to.equal(undefined)
    expect(bodyOf(text)).to.equal('5\r\n\0\0\0\0\0\r\n0\r\ngrpc-status: 0\r\n\r\n')
  })

  describe('R22-24: a backend that does not speak HTTP/2', () => {
    for (const protocol of [undefined, 'https'] as const) {
      it(`is not asked (${protocol ?? 'http'}): every client is told what to set`, async () => {
        const bench = await start({ backend: { ...(protocol && { protocol }) } })
        const client = await bench.send(call(['Content-Length: 3'], 'abc'))
        expect((await client.until('Ingress\n')).split('\r\n')).to.deep.equal([
          'HTTP/1.1 502 Bad Gateway',
          'Server: ramjet',
          'Content-Type: text/plain; charset=utf-8',
          `Content-Length: ${HINT.length}`,
          'x-ramjet-unsupported: grpc-needs-backend-protocol',
          DATE,
          '',
          HINT,
        ])
        client.write(request('GET', '/').replace(HOST, 'next.example'))
        await client.until('\n404 ')
        expect(bench.upstream.connections).to.have.length(0)
        expect(bench.counters.process('grpcUnsupported')).to.equal(1)
        expect(bench.counters.process('responses5xx')).to.equal(1)
      })
    }

    it('gets gRPC-Web, and what is no gRPC, as ever', async () => {
      const bench = await start()
      bench.upstream.answer('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
      for (const type of ['application/grpc-web+proto', 'application/json', 'application/grp']) {
        await (await bench.send(request('POST', '/', [`Content-Type: ${type}`]))).until('ok')
      }
      expect(bench.counters.process('grpcUnsupported')).to.equal(0)
    })
  })
}
