import { engineContract } from '../../contract/engine.ts'
import { WIRE_ENGINES } from '../../fakes/wire-engines.ts'

for (const [transport, makeEngine] of WIRE_ENGINES) engineContract(`wire engine on ${transport}`, makeEngine)
