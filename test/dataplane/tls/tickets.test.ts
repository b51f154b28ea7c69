// Session tickets over workers and over rotations of their keys (R21-24 to R21-26, R70-135).
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { pairFor } from '../../builders/secure-names.ts'
import { type Harness, until } from '../harness.ts'
import { securePair, startSecurePlane, type Visit, type VisitOptions, visit } from './secure-plane.ts'

const HOST = 'shop.example'
const OTHER = 'other.example'
const STRICT = 'strict.example'
const VERSIONS = ['TLSv1.2', 'TLSv1.3'] as const

describe('session tickets', function () {
  this.timeout(30_000)
  let plane: Harness

  before(async () => {
    plane = await startSecurePlane({ workers: 2 })
    const names = {
      [HOST]: { pairs: [pairFor(HOST)] },
      [OTHER]: { pairs: [pairFor(OTHER)] },
      [STRICT]: { pairs: [pairFor(STRICT)], policy: { preferServerCiphers: true } },
    }
    const sites = { [HOST]: ['127.0.0.1:1'], [OTHER]: ['127.0.0.1:1'], [STRICT]: ['127.0.0.1:1'] }
    await plane.plane.apply(securePair(sites, names, 1))
  })
  after(() => plane.stop())

  for (const maxVersion of VERSIONS) {
    it(`${maxVersion}: R21-24: resume in every worker what one of them began`, async () => {
      const first = await visit(plane.port(), HOST, { maxVersion })
      expect(first.isResumed).to.equal(false)
      const workers = new Set<number>()
      for (let tries = 0; tries < 60 && workers.size < 2; tries += 1) {
        const next = await resumed(first, { maxVersion })
        expect(next.isResumed).to.equal(true)
        workers.add(next.worker)
      }
      expect([...workers].toSorted((a, b) => a - b)).to.deep.equal([0, 1])
    })

    it(`${maxVersion}: R21-37: are handshakes like any other to the metric`, async () => {
      const before = plane.plane.totals().fields.tlsHandshakes
      const first = await visit(plane.port(), HOST, { maxVersion })
      expect((await resumed(first, { maxVersion })).isResumed).to.equal(true)
      expect(plane.plane.totals().fields.tlsHandshakes).to.equal(before + 2)
    })

    it(`${maxVersion}: R21-25: fall back to one full handshake after a rotation, in every worker`, async () => {
      const before = await visit(plane.port(), HOST, { maxVersion })
      plane.plane.setTicketKeys(randomBytes(48))
      const next = await afterRotation(before, { maxVersion })
      expect((await resumed(next, { maxVersion })).isResumed).to.equal(true)
    })

    it(`${maxVersion}: R21-26: are of no use on a host of another policy`, async () => {
      const first = await visit(plane.port(), HOST, { maxVersion })
      const other = await resumed(first, { maxVersion }, STRICT)
      expect(other.isResumed).to.equal(false)
      expect((await resumed(other, { maxVersion }, STRICT)).isResumed).to.equal(true)
    })
  }

  for (const maxVersion of VERSIONS) {
    it(`${maxVersion}: are of no use for another name (RFC 6066, section 3)`, async () => {
      const first = await visit(plane.port(), HOST, { maxVersion })
      expect(await resumed(first, { maxVersion }, OTHER)).to.include({ isResumed: false, name: OTHER })
    })
  }

  it('are good in a worker that replaces another, with the keys of now', async () => {
    plane.plane.setTicketKeys(randomBytes(48))
    const first = await visit(plane.port(), HOST)
    await visit(plane.port(), HOST, { path: '/exit' }).catch(() => undefined)
    await until(() => plane.plane.workerRestarts().exit === 1)
    await until(() => plane.plane.workers().every(({ state }) => state === 'serving'))
    const workers = new Set<number>()
    for (let tries = 0; tries < 60 && workers.size < 2; tries += 1) {
      const next = await resumed(first, {})
      expect(next.isResumed).to.equal(true)
      workers.add(next.worker)
    }
    expect(workers.size).to.equal(2)
  })

  async function resumed({ session }: Visit, options: VisitOptions, host = HOST): Promise<Visit> {
    expect(session, 'a ticket came').to.not.equal(undefined)
    return await visit(plane.port(), host, { ...options, session })
  }

  /** Asks until the keys have reached every worker; a ticket from before is then good nowhere. */
  async function afterRotation(before: Visit, options: VisitOptions): Promise<Visit> {
    const fresh = new Map<number, Visit>()
    for (let tries = 0; tries < 60 && fresh.size < 2; tries += 1) {
      const next = await resumed(before, options)
      if (!next.isResumed) fresh.set(next.worker, next)
    }
    expect(fresh.size).to.equal(2)
    const last = await resumed(before, options)
    expect(last.isResumed).to.equal(false)
    return last
  }
})
