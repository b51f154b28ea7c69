import type { EngineName } from '../../src/dataplane/engine.ts'
import type { TransportName } from '../../src/dataplane/transport/transport.ts'

/** One way to serve: what holds for all of them is tested by all of them. */
export interface EngineUnderTest {
  readonly title: string
  readonly engine: EngineName
  readonly transport: TransportName | undefined
}

export const ENGINES_UNDER_TEST: readonly EngineUnderTest[] = [
  { title: 'standard', engine: 'standard', transport: undefined },
  { title: 'wire on handle', engine: 'wire', transport: 'handle' },
  { title: 'wire on public', engine: 'wire', transport: 'public' },
]

/** Each engine once, for what takes long and is the same whatever carries the bytes. */
export const ENGINES_ONCE: readonly EngineUnderTest[] = ENGINES_UNDER_TEST.filter(
  ({ transport }) => transport !== 'public',
)

/** The flags that choose it. */
export function flagsOf({ engine, transport }: EngineUnderTest): readonly string[] {
  return ['--engine', engine, ...(transport === undefined ? [] : ['--transport', transport])]
}
