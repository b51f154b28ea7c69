import { CHUNKS } from './rows/chunks.ts'
import { FIELDS } from './rows/fields.ts'
import { FRAMING } from './rows/framing.ts'
import { METHODS } from './rows/methods.ts'
import { PATHS } from './rows/paths.ts'
import { RESPONSES, UPGRADES_AND_CLAIMS } from './rows/responses.ts'
import { SLOW } from './rows/slow.ts'
import { TARGETS } from './rows/targets.ts'
import type { WireRow } from './wire-row.ts'

/** The table of probes by its sections, for every engine. */
export const SECTIONS: ReadonlyMap<string, readonly WireRow[]> = new Map([
  ['A. message framing', FRAMING],
  ['B. chunked bodies', CHUNKS],
  ['C. header fields', FIELDS],
  ['D. host and request target', TARGETS],
  ['E. canonical path', PATHS],
  ['F. methods, versions, upgrades, hop-by-hop', METHODS],
  ['I. slow clients and limits', SLOW],
  ['J. responses of upstreams', RESPONSES],
  ['K. upgrades and forwarded fields', UPGRADES_AND_CLAIMS],
])
