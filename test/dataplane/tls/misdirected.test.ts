// 421: a host that is asked for on the connection of another one (R21-22, R22-7).
import { once } from 'node:events'
import { type ClientHttp2Session, connect } from 'node:http2'
import { expect } from 'chai'
import { pairFor } from '../../builders/secure-names.ts'
import { ENGINE_FACTORIES } from '../engines/http2/engines.ts'
import { TlsBench } from './tls-bench.ts'

const SHARED = pairFor('shop.example')
const GUARDED = { client: { authorities: 'x', mode: 'optional', maxDepth: 1 } } as const
const NAMES = {
  'shop.example': { pairs: [SHARED] },
  'same.example': { pairs: [SHARED] },
  'other.example': { pairs: [pairFor('other.example')] },
  'ciphers.example': { pairs: [SHARED], policy: { ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256' } },
  'guarded.example': { pairs: [SHARED], policy: GUARDED },
  '': { pairs: [pairFor('default.example')] },
}

for (const [name, engine] of ENGINE_FACTORIES) {
  describe(`hosts on the connection of shop.example, on ${name}`, () => {
    let bench: TlsBench
    let session: ClientHttp2Session
    beforeEach(async () => {
      bench = await TlsBench.start({ names: NAMES, engine, servesHttp2: true })
      bench.upstream.answer('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
    })
    afterEach(() => {
      session?.destroy()
      bench.stop()
    })

    const byHttp2 = async (host: string): Promise<number> => {
      const stream = session.request({ ':authority': host })
      stream.resume()
      const [fields] = (await once(stream, 'response')) as [Record<string, unknown>]
      return Number(fields[':status'])
    }
    const openHttp2 = async (servername: string): Promise<void> => {
      const socket = await bench.connect({ servername, ALPNProtocols: ['h2'] })
      session = connect('https://shop.example', { createConnection: () => socket })
      session.on('error', () => undefined)
    }
    const byHttp1 = async (servername: string, host: string): Promise<string> => {
      const client = await bench.client({ servername })
      client.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
      return (await client.untilEnd()).slice(9, 12)
    }

    for (const { host, http1, http2, why } of [
      { host: 'shop.example', http1: '200', http2: 200, why: 'its own' },
      { host: 'SHOP.example:443', http1: '200', http2: 200, why: 'its own in another spelling' },
      { host: 'same.example', http1: '200', http2: 200, why: 'the same certificate and policy' },
      { host: 'other.example', http1: '200', http2: 421, why: 'another certificate' },
      { host: 'nobody.example', http1: '200', http2: 421, why: 'the default certificate' },
      { host: 'ciphers.example', http1: '200', http2: 200, why: 'other ciphers alone' },
      { host: 'guarded.example', http1: '421', http2: 421, why: 'another policy for clients' },
    ]) {
      it(`${host}: ${http1} by HTTP/1.1 and ${http2} by HTTP/2, since it has ${why}`, async () => {
        expect(await byHttp1('shop.example', host)).to.equal(http1)
        await openHttp2('shop.example')
        expect(await byHttp2(host)).to.equal(http2)
        // The connection goes on for those that it is for, and remembers nobody wrongly.
        expect(await byHttp2('shop.example')).to.equal(200)
        expect(await byHttp2(host)).to.equal(http2)
      })
    }

    it('a host that falls to the default certificate under its own server name is served', async () => {
      await openHttp2('nobody.example')
      expect(await byHttp2('nobody.example')).to.equal(200)
      expect(await byHttp2('somebody.example')).to.equal(200)
      expect(await byHttp2('shop.example')).to.equal(421)
    })

    it('its own host too once its policy is another one, and the connection ends (R21-22)', async () => {
      await openHttp2('shop.example')
      expect(await byHttp2('shop.example')).to.equal(200)
      const http1 = await bench.client({ servername: 'shop.example' })
      bench.assign({ ...NAMES, 'shop.example': { pairs: [SHARED], policy: GUARDED } })
      const goaway = once(session, 'goaway')
      expect(await byHttp2('shop.example')).to.equal(421)
      expect((await goaway)[0]).to.equal(0)
      http1.write('GET / HTTP/1.1\r\nHost: shop.example\r\n\r\n')
      const answer = await http1.untilEnd()
      expect(answer).to.include('421 Misdirected Request')
      expect(answer).to.include('Connection: close')
    })
  })
}
