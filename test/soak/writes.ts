// Thousands of Ingresses, two replicas and a change every second for minutes, against a real API server:
// `npm run soak:writes`, or `-- --ingresses 500 --seconds 30`. Prints what was written and fails where it is too much.
import { parseArgs } from 'node:util'
import { installRamjet } from '../../hack/cluster/install.ts'
import { startCluster } from '../../hack/cluster/start.ts'
import { DEFAULT_TUNABLES } from '../../src/controllers/tunables.ts'
import { runManyWrites } from '../cluster/support/many-writes.ts'
import { Ramjet } from '../cluster/support/ramjet.ts'
import { TestNamespace } from '../cluster/support/test-namespace.ts'

const { values } = parseArgs({
  options: {
    ingresses: { type: 'string', default: '5000' },
    seconds: { type: 'string', default: '300' },
  },
})
const [ingresses, seconds] = [Number(values.ingresses), Number(values.seconds)]

const cluster = await startCluster()
const replicas: Ramjet[] = []
try {
  await installRamjet(cluster)
  const namespace = await TestNamespace.create(cluster)
  for (let replica = 0; replica < 2; replica += 1) replicas.push(await Ramjet.start(cluster, { workers: 1 }))
  say(`${ingresses} Ingresses, ${replicas.length} replicas, a change a second for ${seconds} s`)
  const restMs = 120_000 + (ingresses / DEFAULT_TUNABLES.writesPerSecond) * 1000
  const plan = { cluster, namespace, replicas, ingresses, seconds, restMs, quietMs: 10_000 }
  // Of so many only those that changed are told.
  const report = await runManyWrites({ ...plan, told: 'changed' })
  say(JSON.stringify(report, undefined, 2))
  const { writesPerSecond, writeBurst } = DEFAULT_TUNABLES
  const isBounded = report.mostInOneSecond <= writesPerSecond + writeBurst
  const isAtRest = report.writesAtRest === 0 && report.leaders === 1
  say(isBounded && isAtRest ? 'bounded, and at rest' : 'too much was written')
  process.exitCode = isBounded && isAtRest ? 0 : 1
} finally {
  await Promise.all(replicas.map((ramjet) => ramjet.stop()))
  await cluster.stop()
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
