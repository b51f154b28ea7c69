import { createStandardEngine } from '../../../src/dataplane/engines/standard/server.ts'
import { secureBackendContract } from '../../contract/engine.ts'
import { WIRE_ENGINES } from '../../fakes/wire-engines.ts'

// The bytes of a backend by TLS come through Node's sockets, whatever the transport: one is enough.
const wire = WIRE_ENGINES.get('handle')
if (wire) secureBackendContract('wire engine, to backends by TLS', wire)
secureBackendContract('standard engine, to backends by TLS', createStandardEngine)
