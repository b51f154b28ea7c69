// What a TLS connection took of `--max-connections` is free again, however it ended (R20-97).
import { helloOf } from '../../builders/client-hello.ts'
import { pairFor } from '../../builders/secure-names.ts'
import { eventually } from '../../fakes/clock.ts'
import { PASSED_TO, TlsBench } from './tls-bench.ts'

const SHOP = { servername: 'shop.example' }
const NAMES = { 'shop.example': { pairs: [pairFor('shop.example')] }, 'passed.example': { passthrough: PASSED_TO } }

/** What a client does before it is gone. */
const ENDINGS: readonly (readonly [title: string, end: (bench: TlsBench) => Promise<unknown>])[] = [
  ['that was closed after its handshake', async (bench) => void (await bench.connect(SHOP)).destroy()],
  ['that was refused for its name', (bench) => bench.nameFor({ servername: 'nobody.example' })],
  ['that agreed on no protocol', (bench) => bench.nameFor({ ...SHOP, ALPNProtocols: ['bogus'] })],
  ['whose client does not believe us', (bench) => bench.nameFor({ ...SHOP, rejectUnauthorized: true })],
  [
    'that spoke no TLS',
    async (bench) => {
      const client = await bench.raw()
      await client.write('GET / HTTP/1.1\r\n\r\n').untilEnd()
      client.end()
    },
  ],
  [
    'that was reset in its handshake',
    async (bench) => {
      const client = await bench.raw()
      await client.write(Buffer.from(await helloOf(SHOP))).untilLength(3)
      client.reset()
    },
  ],
  [
    'that went on with something else than TLS',
    async (bench) => {
      const client = await bench.raw()
      await client.write(Buffer.from(await helloOf(SHOP))).untilLength(3)
      await client.write('x'.repeat(100)).untilEnd()
      client.end()
    },
  ],
  [
    'that was passed through',
    async (bench) => {
      const client = await bench.raw()
      client.write(Buffer.from(await helloOf({ servername: 'passed.example' })))
      await eventually(() => bench.front.tunnels === 1)
      client.reset()
    },
  ],
]

describe('the place of a TLS connection', () => {
  let bench: TlsBench

  afterEach(() => bench.stop())

  for (const [title, end] of ENDINGS) {
    it(`is free again: of one ${title}`, async () => {
      bench = await TlsBench.start({ names: NAMES, maxConnections: 1 })
      await end(bench)
      // Whoever comes too early is closed at once.
      let name = ''
      while (name !== 'shop.example') name = await bench.nameFor(SHOP)
    })
  }
})
