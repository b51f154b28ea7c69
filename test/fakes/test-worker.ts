// The entry file of the workers in tests: the test engine, and faults while a pair is built. A backend of the host
// `KIND-INDEX.fault.example` makes the worker INDEX fail by KIND.
import { workerData } from 'node:worker_threads'
import { runWorker } from '../../src/dataplane/run-worker.ts'
import { buildBalancers } from '../../src/router/balance/balancers.ts'
import { buildRouter } from '../../src/router/router.ts'
import { createTestEngine, misbehave } from './test-engine.ts'

runWorker({
  engines: { wire: createTestEngine, standard: createTestEngine },
  buildRouter(table, previous) {
    for (const host of table.hosts.keys()) {
      const fault = /^(\w+)-(\d|any)\.fault\.example$/.exec(host)
      if (fault && (fault[2] === 'any' || Number(fault[2]) === workerData.index)) failBy(fault[1] ?? '')
    }
    return buildRouter(table, previous)
  },
  buildBalancers,
})

function failBy(kind: string): void {
  if (kind === 'refuse') throw new Error('refused by a test')
  misbehave(`/${kind}`)
}
