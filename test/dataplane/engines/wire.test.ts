import { engineContract } from '../../contract/engine.ts'
import { ATTACHED_ENGINES, WIRE_ENGINES } from '../../fakes/wire-engines.ts'

for (const [transport, makeEngine] of WIRE_ENGINES) engineContract(`wire engine on ${transport}`, makeEngine)
for (const [transport, makeEngine] of ATTACHED_ENGINES) {
  engineContract(`wire engine on ${transport}, attached to its listener`, makeEngine)
}
