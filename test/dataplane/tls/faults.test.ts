// No handshake ends a worker, however it goes wrong (R21-7, R70-70, R70-71).
import { expect } from 'chai'
import { createRandom } from '../../../src/lib/random.ts'
import { helloOf } from '../../builders/client-hello.ts'
import { pairFor } from '../../builders/secure-names.ts'
import { openClient } from '../../fakes/raw-client.ts'
import type { Harness } from '../harness.ts'
import { securePair, startSecurePlane, visit } from './secure-plane.ts'

const HOST = 'shop.example'
const BROKEN = 300
const AT_ONCE = 30

describe('handshakes that go wrong', function () {
  this.timeout(30_000)
  let plane: Harness

  before(async () => {
    plane = await startSecurePlane({ workers: 2 })
    await plane.plane.apply(securePair({ [HOST]: ['127.0.0.1:1'] }, { [HOST]: { pairs: [pairFor(HOST)] } }, 1))
  })
  after(() => plane.stop())

  it(`leave every worker as it was: ${BROKEN} of them, each with other bytes changed, cut or doubled`, async () => {
    const hello = Buffer.from(await helloOf({ servername: HOST, ecdhCurve: 'X25519' }))
    const random = createRandom(Uint32Array.of(1, 2, 3, 4))
    for (let at = 0; at < BROKEN; at += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, async () => await knock(broken(hello, random))))
    }
    const { fields } = plane.plane.totals()
    expect(fields.tlsProtocol + fields.tlsReset + fields.tlsNotTls + fields.tlsNoCertificate).to.be.above(BROKEN / 2)
    expect(fields.tlsCallback).to.equal(0)
    expect(Object.values(plane.plane.workerRestarts())).to.deep.equal([0, 0, 0, 0, 0])
    for (let turn = 0; turn < 4; turn += 1) expect((await visit(plane.port(), HOST)).name).to.equal(HOST)
  })

  /** Sends these bytes and goes, at once or behind an answer. */
  async function knock(bytes: Buffer): Promise<void> {
    const client = await openClient(plane.port())
    client.write(bytes)
    client.end()
    await client.untilEnd()
    client.socket.destroy()
  }
})

/** `hello` with up to four bytes changed, then cut or followed by more of the same. */
function broken(hello: Buffer, random: () => number): Buffer {
  const below = (limit: number): number => Math.floor(random() * limit)
  const bytes = Buffer.from(hello)
  for (let changes = below(5); changes > 0; changes -= 1) bytes[below(bytes.length)] = below(256)
  if (random() < 0.3) return bytes.subarray(0, below(bytes.length))
  return random() < 0.3 ? Buffer.concat([bytes, bytes]) : bytes
}
