import { expect } from 'chai'
import type { OriginHandler } from '../../fakes/protocol-origin.ts'
import type { StartBench } from '../engine.ts'
import { bodyOf, fieldOf, HOST, lineOf, linesOf, request } from './bench.ts'
import { MIB } from './pressure.ts'
import { breakOff, echo, H2_PROTOCOLS, PROTOCOLS, protocolSetup, writeTo } from './protocol-bench.ts'

const CONTINUE: OriginHandler = (incoming, response) => {
  response.writeContinue()
  echo(incoming, response)
}

/** HTTP/1.1 and HTTP/1.0 from clients, everything else towards backends: R20-7, R20-179, R22-16 to R22-21. */
export function backendProtocolCases(start: StartBench): void {
  const setup = protocolSetup(start)

  for (const protocol of PROTOCOLS) {
    describe(protocol, () => {
      it('R20-179: HTTP/1.1 with a length both ways, on a connection that stays', async () => {
        const { bench, origin } = await setup.start(protocol)
        origin.handler = (incoming, response) => {
          let text = ''
          incoming.on('data', (chunk: Buffer) => {
            text += chunk.toString('latin1')
          })
          incoming.on('end', () => {
            const body = `${incoming.method} ${incoming.url} ${text}`
            response.setHeader('content-length', body.length)
            response.end(body)
          })
        }
        const client = await bench.send(request('POST', '/a?b=c', ['Content-Length: 3'], 'abc'))
        const first = await client.until('POST /a?b=c abc')
        expect(lineOf(first)).to.equal('HTTP/1.1 200 OK')
        expect(fieldOf(first, 'content-length')).to.equal('15')
        client.write(request('GET', '/two'))
        await client.until('GET /two ')
        expect(bench.counters.process('responses2xx')).to.equal(2)
        expect(origin.sockets).to.have.length(1)
        expect(bench.counters.inFlight(1)).to.equal(0)
      })

      it('R20-56: HTTP/1.0 gets a body without chunks that ends with the connection', async () => {
        const { bench, origin } = await setup.start(protocol)
        origin.handler = (_incoming, response) => {
          writeTo(response, 'hello ')
          response.end('world')
        }
        const client = await bench.send(`GET / HTTP/1.0\r\nHost: ${HOST}\r\n\r\n`)
        const text = await client.untilEnd()
        expect(bodyOf(text)).to.equal('hello world')
        expect(fieldOf(text, 'transfer-encoding')).to.equal(undefined)
      })

      it('R20-46: chunks and trailers pass both ways', async () => {
        const { bench, origin } = await setup.start(protocol)
        origin.handler = echo
        const body = '3\r\nabc\r\n2;ext=1\r\nde\r\n0\r\nX-Sum: 5\r\n\r\n'
        const client = await bench.send(request('POST', '/', ['Transfer-Encoding: chunked', 'Trailer: X-Sum'], body))
        const text = await client.until('x-came: 5\r\n\r\n')
        expect(fieldOf(text, 'transfer-encoding')).to.equal('chunked')
        expect(dataOf(bodyOf(text))).to.equal('abcde')
      })

      it('a body in chunks that ends without trailers is complete', async () => {
        const { bench, origin } = await setup.start(protocol)
        origin.handler = echo
        const client = await bench.send(request('POST', '/', ['Transfer-Encoding: chunked'], '3\r\nabc\r\n'))
        await client.until('abc')
        client.write('1\r\nd\r\n0\r\n\r\n')
        expect(dataOf(bodyOf(await client.until('x-came: none\r\n\r\n')))).to.equal('abcd')
      })

      it('R20-55: HEAD, 204, 304 and an empty body have no body, and the connection serves on', async () => {
        const { bench, origin } = await setup.start(protocol)
        origin.handler = ({ url = '' }, response) => {
          const status = Number(url.slice(1))
          if (status === 205) endAtOnce(response, 200, 7)
          else endAtOnce(response, status, undefined)
        }
        const client = await bench.send(request('HEAD', '/200'))
        await client.until('\r\n\r\n')
        for (const path of ['/205', '/204', '/304', '/200']) {
          const before = client.text.length
          client.write(request(path === '/205' ? 'HEAD' : 'GET', path))
          await client.when(() => client.text.slice(before).includes('\r\n\r\n'), path)
          const text = client.text.slice(before)
          expect(bodyOf(text), path).to.equal('')
          expect(fieldOf(text, 'transfer-encoding'), path).to.equal(undefined)
          const length = { '/205': '7', '/200': '0' }[path]
          expect(fieldOf(text, 'content-length'), path).to.equal(length)
        }
        expect(bench.counters.process('requests')).to.equal(5)
      })

      it('R20-55: interim responses pass', async () => {
        const { bench, origin } = await setup.start(protocol)
        origin.handler = (_incoming, response) => {
          response.writeEarlyHints({ link: '</a.css>; rel=preload' })
          response.end('ok')
        }
        const text = await (await bench.get('/')).until('ok')
        expect(lineOf(text)).to.equal('HTTP/1.1 103 Early Hints')
        expect(fieldOf(text, 'link')).to.equal('</a.css>; rel=preload')
        expect(lineOf(bodyOf(text))).to.equal('HTTP/1.1 200 OK')
        expect(bench.counters.process('responses1xx')).to.equal(1)
      })

      it('R20-43: a 100 is that of the upstream, and the body follows it', async () => {
        const { bench, origin } = await setup.start(protocol)
        origin.handler = CONTINUE
        origin.server.on('checkContinue', CONTINUE)
        const client = await bench.send(request('POST', '/', ['Content-Length: 3', 'Expect: 100-continue']))
        await client.until('HTTP/1.1 100 Continue\r\n\r\n')
        client.write('abc')
        await client.until('abc')
      })

      it('order, duplicates and bytes of fields stay what they are', async () => {
        const { bench, origin } = await setup.start(protocol)
        let raw: readonly string[] = []
        origin.handler = ({ rawHeaders }, response) => {
          raw = rawHeaders
          response.setHeader('set-cookie', ['a=1', 'b=2'])
          response.end('ok')
        }
        const lines = ['X-B: 1', 'Accept: a', 'X-A: \xe9', 'X-B: 2', 'Cookie: c=1; d=2', 'TE: gzip, trailers']
        const text = await (await bench.get('/', lines)).until('ok')
        const fields = pairsOf(raw).filter(([name]) => /^(?:x-[ab]|accept|cookie|te)$/.test(name))
        expect(fields).to.deep.equal([
          ['x-b', '1'],
          ['accept', 'a'],
          ['x-a', '\xe9'],
          ['x-b', '2'],
          ['cookie', 'c=1; d=2'],
          ['te', 'trailers'],
        ])
        const cookies = linesOf(text).filter((line) => line.toLowerCase().startsWith('set-cookie'))
        expect(cookies.map((line) => line.slice('set-cookie: '.length))).to.deep.equal(['a=1', 'b=2'])
      })

      it('R20-172: large bodies pass both ways at once, whole', async () => {
        const { bench, origin } = await setup.start(protocol)
        origin.handler = echo
        const total = 3 * MIB
        const client = await bench.send(request('POST', '/', [`Content-Length: ${total}`]))
        client.write(Buffer.alloc(total, 0x61))
        const text = await client.until('\r\n0\r\n')
        expect(dataOf(bodyOf(text))).to.have.length(total)
      })

      it('R20-172: a client that reads nothing holds the upstream back', async () => {
        const { bench, origin } = await setup.start(protocol)
        let written = 0
        origin.handler = (_incoming, response) => {
          const chunk = Buffer.alloc(65_536)
          const fill = (): void => {
            while (written < 64 * MIB) {
              written += chunk.length
              if (!writeTo(response, chunk)) return
            }
          }
          response.on('drain', fill)
          fill()
        }
        const client = await bench.client()
        client.socket.pause()
        client.write(request('GET', '/'))
        let seen = -1
        for (let still = 0; still < 200; still += 1) {
          await bench.turn()
          if (written !== seen) still = 0
          seen = written
        }
        expect(written).to.be.above(0)
        expect(written).to.be.below(32 * MIB)
      })

      it('R20-172: an upstream that reads nothing holds the client back', async () => {
        const { bench, origin } = await setup.start(protocol)
        origin.handler = () => undefined
        const client = await bench.send(request('POST', '/', [`Content-Length: ${64 * MIB}`]))
        const chunk = Buffer.alloc(MIB)
        let written = 0
        for (let still = 0; still < 200; still += 1) {
          if (client.socket.writableLength === 0 && written < 64 * MIB) {
            client.write(chunk)
            written += MIB
            still = 0
          }
          await bench.turn()
        }
        expect(written).to.be.below(32 * MIB)
      })

      it('R20-58: an answer that comes before the request ended is relayed at once', async () => {
        const { bench, origin } = await setup.start(protocol)
        origin.handler = (_incoming, response) => {
          response.setHeader('content-length', 5)
          response.end('early')
        }
        const client = await bench.send(request('POST', '/', ['Content-Length: 10'], 'abc'))
        await client.until('early')
        client.write(`defghij${request('GET', '/two')}`)
        await client.when(() => client.text.split('early').length === 3, 'the second answer')
        expect(bench.counters.process('responses2xx')).to.equal(2)
      })

      it('a response may run while the request does', async () => {
        const { bench, origin } = await setup.start(protocol)
        origin.handler = echo
        const client = await bench.send(request('POST', '/', ['Transfer-Encoding: chunked']))
        for (const letter of ['a', 'b', 'c']) {
          client.write(`1\r\n${letter}\r\n`)
          await client.when(() => dataOf(bodyOf(client.text)).endsWith(letter), letter)
        }
        client.write('0\r\n\r\n')
        await client.until('\r\n0\r\n')
      })

      it('R20-59: an upstream body that breaks off is cut, and never looks complete', async () => {
        const { bench, origin } = await setup.start(protocol)
        origin.handler = (_incoming, response) => {
          writeTo(response, 'partial')
          setImmediate(() => breakOff(response))
        }
        const text = await (await bench.get('/')).untilEnd()
        expect(text).to.contain('partial')
        expect(text.endsWith('0\r\n\r\n')).to.equal(false)
        await bench.quiet()
        expect(bench.counters.inFlight(1)).to.equal(0)
      })

      it('R20-69: an upstream that breaks off before its head is 502, and a POST is not made twice', async () => {
        const { bench, origin } = await setup.start(protocol)
        let asked = 0
        origin.handler = (_incoming, response) => {
          asked += 1
          breakOff(response)
        }
        const client = await bench.send(request('POST', '/', ['Content-Length: 1'], 'x'))
        expect(lineOf(await client.until('\n502'))).to.equal('HTTP/1.1 502 Bad Gateway')
        expect(asked).to.equal(1)
      })

      it('R22-10: a client that goes cancels its upstream request', async () => {
        const { bench, origin } = await setup.start(protocol)
        let isOver = false
        origin.handler = (incoming, response) => {
          writeTo(response, 'begun')
          incoming.on('aborted', () => {
            isOver = true
          })
          response.on('close', () => {
            isOver = true
          })
        }
        const client = await bench.get('/')
        await client.until('begun')
        client.reset()
        await bench.when(() => isOver)
        await bench.quiet()
        expect(bench.counters.inFlight(1)).to.equal(0)
        expect(bench.counters.process('requestsInFlight')).to.equal(0)
      })

      it('R20-112: a response head above the limit is 502', async () => {
        const { bench, origin } = await setup.start(protocol, { limits: { maxResponseHeaderBytes: 1024 } })
        origin.handler = (_incoming, response) => {
          response.setHeader('x-large', 'x'.repeat(2000))
          response.end('no')
        }
        expect(lineOf(await (await bench.get('/')).until('\n502'))).to.equal('HTTP/1.1 502 Bad Gateway')
      })

      it('R20-110: no head in time is 504, and the try is cancelled', async () => {
        const { bench, origin } = await setup.start(protocol)
        let isCancelled = false
        let isAsked = false
        origin.handler = (_incoming, response) => {
          isAsked = true
          response.on('close', () => {
            isCancelled = true
          })
        }
        const client = await bench.get('/')
        await bench.when(() => isAsked)
        bench.clock.advance(60_000)
        expect(lineOf(await client.until('\n504'))).to.equal('HTTP/1.1 504 Gateway Timeout')
        await bench.when(() => isCancelled)
        expect(bench.counters.process('timeoutHead')).to.equal(1)
      })

      it('R20-127: a connect that is refused goes to the next endpoint', async () => {
        const origin = await setup.origin(protocol)
        const gone = await setup.origin(protocol)
        gone.stop()
        const { bench } = await setup.start(protocol, { endpoints: [gone.address, origin.address] })
        origin.handler = (incoming, response) => void incoming.resume().on('end', () => response.end('ok'))
        const client = await bench.send(request('POST', '/', ['Content-Length: 3'], 'abc'))
        await client.until('ok')
        expect(bench.counters.process('connectRefused')).to.equal(1)
        expect(bench.counters.process('retriesConnect')).to.equal(1)
      })
    })
  }

  for (const protocol of H2_PROTOCOLS) {
    describe(protocol, () => {
      it('R22-17: the authority is the host of the client, and no Host field is sent', async () => {
        const { bench, origin } = await setup.start(protocol)
        let raw: readonly string[] = []
        origin.handler = ({ rawHeaders }, response) => {
          raw = rawHeaders
          response.end('ok')
        }
        await (await bench.get('/')).until('ok')
        const fields = new Map(pairsOf(raw))
        expect(fields.get(':authority')).to.equal(HOST)
        expect(fields.get('x-forwarded-host')).to.equal(HOST)
        expect(fields.get(':scheme')).to.equal(protocol === 'h2' ? 'https' : 'http')
        expect(fields.has('host')).to.equal(false)
      })

      it('R22-21: an Upgrade goes as an ordinary request', async () => {
        const { bench, origin } = await setup.start(protocol)
        let raw: readonly string[] = []
        origin.handler = ({ rawHeaders }, response) => {
          raw = rawHeaders
          response.setHeader('content-length', 2)
          response.end('ok')
        }
        const client = await bench.get('/', ['Connection: Upgrade, X-Hop', 'Upgrade: websocket', 'X-Hop: 1'])
        expect(lineOf(await client.until('ok'))).to.equal('HTTP/1.1 200 OK')
        const names = pairsOf(raw).map(([name]) => name)
        expect(names).to.not.include.members(['upgrade'])
        expect(names).to.not.include.members(['connection'])
        client.write(request('GET', '/two'))
        await client.when(() => client.text.split('\r\n\r\nok').length === 3, 'the second answer')
      })

      it('te: trailers goes with gRPC, which needs it', async () => {
        const { bench, origin } = await setup.start(protocol)
        let te: unknown
        origin.handler = ({ headers }, response) => {
          te = headers['te']
          response.end('ok')
        }
        await (await bench.get('/', ['Content-Type: application/grpc+proto'])).until('ok')
        expect(te).to.equal('trailers')
      })
    })
  }

  it('https: R20-155: an upgrade becomes a tunnel', async () => {
    const { bench, origin } = await setup.start('https')
    origin.server.on('upgrade', (_incoming, socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\nConnection: upgrade\r\n\r\nhello')
      socket.pipe(socket)
    })
    const client = await bench.get('/', ['Connection: Upgrade', 'Upgrade: echo'])
    await client.until('hello')
    client.write('ping')
    await client.until('helloping')
    client.end()
    await client.untilClosed()
    expect(bench.counters.process('tunnels')).to.equal(0)
  })
}

type Writable = Parameters<OriginHandler>[1]

/** A head that nothing follows. */
function endAtOnce(response: Writable, status: number, length: number | undefined): void {
  if ('stream' in response) {
    const fields = length === undefined ? {} : { 'content-length': length }
    response.stream.respond({ ':status': status, ...fields }, { endStream: true })
    return
  }
  response.statusCode = status
  if (status === 200) response.setHeader('content-length', length ?? 0)
  response.end()
}

/** Name in lower case and value of each field. */
function pairsOf(raw: readonly string[]): [name: string, value: string][] {
  const pairs: [string, string][] = []
  for (let at = 0; at < raw.length; at += 2) pairs.push([(raw[at] ?? '').toLowerCase(), raw[at + 1] ?? ''])
  return pairs
}

/** The data of a body in chunks, as far as it came. */
function dataOf(chunks: string): string {
  let data = ''
  let at = 0
  for (;;) {
    const end = chunks.indexOf('\r\n', at)
    const size = end < 0 ? 0 : Number.parseInt(chunks.slice(at, end), 16)
    if (!(size > 0)) return data
    data += chunks.slice(end + 2, end + 2 + size)
    at = end + 2 + size + 2
  }
}
