// The entry file of a data-plane thread.
import { buildBalancers } from '../router/balance/balancers.ts'
import { buildRouter } from '../router/router.ts'
import { createStandardEngine } from './engines/standard/server.ts'
import { createWireEngine } from './engines/wire/server.ts'
import { runWorker } from './run-worker.ts'

runWorker({ engines: { wire: createWireEngine, standard: createStandardEngine }, buildRouter, buildBalancers })
