import type { EngineFactory } from '../../../../src/dataplane/engine.ts'
import { createStandardEngine } from '../../../../src/dataplane/engines/standard/server.ts'
import { ATTACHED_ENGINES } from '../../../fakes/wire-engines.ts'

/** What serves the streams of HTTP/2, by its name: each engine, and each transport as in a worker. */
export const ENGINE_FACTORIES: ReadonlyMap<string, EngineFactory> = new Map([
  ...[...ATTACHED_ENGINES].map(([transport, make]) => [`wire on ${transport}`, make] as const),
  ['standard', createStandardEngine],
])
