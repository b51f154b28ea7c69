import { WIRE_ENGINES } from '../fakes/wire-engines.ts'
import { SECTIONS } from './sections.ts'
import { wireTable } from './wire-table.ts'

for (const [transport, makeEngine] of WIRE_ENGINES) {
  describe(`probes against the wire engine on ${transport}`, function () {
    this.timeout(120_000)
    wireTable(makeEngine, SECTIONS, [])
  })
}
