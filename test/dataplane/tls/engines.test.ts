import { createStandardEngine } from '../../../src/dataplane/engines/standard/server.ts'
import { secureEngineContract } from '../../contract/engine.ts'
import { WIRE_ENGINES } from '../../fakes/wire-engines.ts'

secureEngineContract('the standard engine by TLS', createStandardEngine)

// Whatever the transport, what stands in TLS is read and written by way of the public API: one is enough.
const onHandle = WIRE_ENGINES.get('handle')
if (onHandle) secureEngineContract('the wire engine on handle by TLS', onHandle)
