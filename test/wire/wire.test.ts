import { WIRE_ENGINES } from '../fakes/wire-engines.ts'
import { CHUNKS } from './rows/chunks.ts'
import { FIELDS } from './rows/fields.ts'
import { FRAMING } from './rows/framing.ts'
import { METHODS } from './rows/methods.ts'
import { PATHS } from './rows/paths.ts'
import { TARGETS } from './rows/targets.ts'
import { wireTable } from './wire-table.ts'

for (const [transport, makeEngine] of WIRE_ENGINES) {
  describe(`probes against the wire engine on ${transport}`, function () {
    this.timeout(60_000)
    wireTable(
      makeEngine,
      new Map([
        ['A. message framing', FRAMING],
        ['B. chunked bodies', CHUNKS],
        ['C. header fields', FIELDS],
        ['D. host and request target', TARGETS],
        ['E. canonical path', PATHS],
        ['F. methods, versions, upgrades, hop-by-hop', METHODS],
      ]),
      [],
    )
  })
}
