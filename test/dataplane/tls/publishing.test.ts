// Certificates come with the pair that names them: before it, once, and back with a rollback (R21-17 to R21-19).
import { expect } from 'chai'
import type { ApplyOutcome } from '../../../src/model/generation.ts'
import type { Sites } from '../../builders/pair.ts'
import { type NameSpec, pairFor } from '../../builders/secure-names.ts'
import type { KeyPair } from '../../fakes/certificates.ts'
import { type Harness, until } from '../harness.ts'
import { rotate } from './rotations.ts'
import { securePair, startSecurePlane, visit } from './secure-plane.ts'

const HOST = 'shop.example'
const SITES: Sites = { [HOST]: ['127.0.0.1:1'] }
const WORKERS = 2

describe('publishing certificates', function () {
  this.timeout(120_000)
  let plane: Harness

  beforeEach(async () => {
    plane = await startSecurePlane({ workers: WORKERS })
  })
  afterEach(() => plane.stop())

  function publish(names: Readonly<Record<string, NameSpec>>, number: number, sites = SITES): Promise<ApplyOutcome> {
    return plane.plane.apply(securePair(sites, names, number))
  }

  function contextsBuilt(): number {
    return plane.plane.totals().fields.tlsContextsBuilt
  }

  it('R21-17: 500 certificates and an edit that has nothing to do with them build no context', async () => {
    const names = Object.fromEntries(
      Array.from({ length: 500 }, (_none, index) => [`host-${index}.example`, { pairs: [variantOf(index)] }]),
    )
    expect(await publish({ ...names, [HOST]: { pairs: [pairFor(HOST)] } }, 1)).to.deep.equal({ kind: 'applied' })
    const { name } = await visit(plane.port(), 'host-7.example')
    expect(name).to.equal(HOST)
    const built = contextsBuilt()
    // A machine that is too busy to make all of them in time leaves some to their first handshakes (R30-10).
    expect(built)
      .to.be.above(WORKERS)
      .and.at.most(501 * WORKERS)
    await publish({ ...names, [HOST]: { pairs: [pairFor(HOST)] } }, 2, { ...SITES, 'new.example': ['127.0.0.1:2'] })
    await publish({ ...names, [HOST]: { pairs: [variantOf(0)] } }, 3)
    await visit(plane.port(), HOST)
    expect(contextsBuilt()).to.equal(built)
  })

  it('refuses a pair with a certificate that no context can be made of, everywhere, and says of which host', async () => {
    const good = { [HOST]: { pairs: [pairFor(HOST)] } }
    await publish(good, 1)
    const { key } = pairFor('other.example')
    const outcome = await publish({ ...good, 'new.example': { pairs: [{ cert: pairFor(HOST).cert, key }] } }, 2)
    if (outcome.kind !== 'refused') return expect.fail('it was applied')
    expect(outcome.reason).to.equal('tls_context')
    expect(outcome.message)
      .to.match(/^no TLS context for new\.example: /)
      .and.to.not.include('KEY')
    for (let turn = 0; turn < 4; turn += 1) {
      expect(await visit(plane.port(), HOST)).to.include({ generation: 1, name: HOST })
    }
    expect(await publish(good, 3)).to.deep.equal({ kind: 'applied' })
  })

  it('keeps the certificate of before until its successor was parsed', async () => {
    await publish({ [HOST]: { pairs: [pairFor(HOST)] } }, 1)
    await publish({ [HOST]: { pairs: [{ cert: 'no PEM', key: 'no PEM' }] } }, 2)
    expect(await visit(plane.port(), HOST)).to.include({ generation: 1, name: HOST })
    await publish({ [HOST]: { pairs: [pairFor('renewed.example')] } }, 3)
    expect(await visit(plane.port(), HOST)).to.include({ generation: 3, name: 'renewed.example' })
  })

  it('R21-18, R21-19: brings the certificates of a generation back with it', async () => {
    const first = securePair(SITES, { [HOST]: { pairs: [pairFor(HOST)] } }, 1)
    await plane.plane.apply(first)
    await publish({ [HOST]: { pairs: [pairFor('renewed.example')] } }, 2)
    expect((await visit(plane.port(), HOST)).name).to.equal('renewed.example')
    await plane.plane.apply(first)
    expect(await visit(plane.port(), HOST)).to.include({ generation: 1, name: HOST })
  })

  it('brings a worker that replaces another all certificates before it listens', async () => {
    await publish({ [HOST]: { pairs: [pairFor(HOST)] } }, 1)
    await visit(plane.port(), HOST, { path: '/exit' }).catch(() => undefined)
    // Its client learns of the end first.
    await until(() => plane.plane.workerRestarts().exit === 1)
    await until(() => plane.plane.workers().every(({ state }) => state === 'serving'))
    for (let turn = 0; turn < 8; turn += 1) expect((await visit(plane.port(), HOST)).name).to.equal(HOST)
  })

  it('R21-18: loses no handshake over 200 rotations, a fifth of what npm run soak:certificates makes', async () => {
    expect(await rotate(plane, { rotations: 200, clients: 2 })).to.deep.include({ rotations: 200, lost: [] })
  })
})

/** The same certificate as other content. */
function variantOf(index: number): KeyPair {
  const { cert, key } = pairFor(HOST)
  return { cert: `${index}\n${cert}`, key }
}
