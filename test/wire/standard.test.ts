import { createStandardEngine } from '../../src/dataplane/engines/standard/server.ts'
import { STANDARD_EXCEPTIONS } from '../contract/standard-exceptions.ts'
import { SECTIONS } from './sections.ts'
import { wireTable } from './wire-table.ts'

describe('probes against the standard engine', function () {
  this.timeout(120_000)
  wireTable(createStandardEngine, SECTIONS, STANDARD_EXCEPTIONS)
})
