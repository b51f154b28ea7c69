// The documents that programs read, against their JSON Schemas (R32-10).
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'chai'
import { diffTables } from '../../src/compiler/diff.ts'
import { factsOf } from '../../src/generations/history.ts'
import { AdminBench, NO_TOTALS } from '../admin/admin-bench.ts'
import { certificate } from '../builders/certificates.ts'
import { asPair, tablesOf } from '../builders/pair.ts'
import { readPage } from './pages.ts'

const PAIR = asPair(tablesOf({ 'a.example': ['192.0.2.1:80'] }, { fallbackTo: 'a.example' }), { generation: 41 })
const FACTS = factsOf(PAIR.generation, undefined, diffTables(undefined, PAIR.generation.routes))
const HISTORY = [
  { ...FACTS, atMs: 2_000, outcome: { kind: 'applied' } },
  { ...FACTS, number: 40, atMs: 1_000, outcome: { kind: 'rejected', reason: 'limit', message: 'too much' } },
  { ...FACTS, number: 39, atMs: 0, outcome: { kind: 'held' } },
] as const

const RECORDS = [
  { source: 'ingress', namespace: 'shop', secret: 'tls', serving: certificate('shop'), users: [] },
  { source: 'ingress', namespace: 'shop', secret: 'gone', serving: undefined, problem: 'does not exist', users: [] },
] as const

describe('schemas of the admin API', () => {
  let full: AdminBench
  let empty: AdminBench
  before(async () => {
    full = await AdminBench.start({
      sources: {
        routes: () => ({ pair: PAIR, replica: 'ramjet-0', totalsOf: () => NO_TOTALS }),
        generations: () => ({ pair: PAIR, pinned: 41, history: HISTORY }),
        certificates: () => ({ pair: PAIR, records: RECORDS, nowMs: 0 }),
      },
    })
    empty = await AdminBench.start()
  })
  after(() => Promise.all([full.server.close(), empty.server.close()]))

  for (const name of ['routes', 'generations', 'certificates']) {
    const validate = new Ajv2020({ allowUnionTypes: true }).compile(
      JSON.parse(readPage(`docs/admin-${name}.schema.json`)) as object,
    )

    it(`/admin/${name} is as docs/admin-${name}.schema.json says, before anything serves too`, async () => {
      for (const bench of [full, empty]) {
        const { document } = await bench.ask(`/admin/${name}`)
        expect(validate(document), JSON.stringify(validate.errors)).to.equal(true)
      }
    })

    it(`docs/admin-${name}.schema.json wants every field of it`, async () => {
      const { document } = await full.ask(`/admin/${name}`)
      for (const field of Object.keys(document)) {
        const { [field]: _left, ...rest } = document
        expect(validate(rest), field).to.equal(false)
      }
    })
  }
})
