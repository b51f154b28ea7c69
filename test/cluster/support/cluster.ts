// The one cluster of this mocha run. These are hooks of the root suite: whichever file imports this first registers
// them, all files share what they start, and nothing starts under --dry-run.
import { expect } from 'chai'
import { RAMJET_ACCOUNT, userOf } from '../../../hack/cluster/identity.ts'
import { installRamjet } from '../../../hack/cluster/install.ts'
import { type Cluster, startCluster } from '../../../hack/cluster/start.ts'
import { refusalsOf } from './audit.ts'

let running: Cluster | undefined

before('start the cluster', async () => {
  running = await startCluster()
  await installRamjet(running)
})

after('the account of config/rbac met no refusal', async () => {
  const refused = running ? refusalsOf(running.auditLog, userOf(RAMJET_ACCOUNT)) : []
  await running?.stop()
  expect(refused).to.deep.equal([])
})

/** The cluster, with config/ installed; there is one once hooks and tests run. */
export function theCluster(): Cluster {
  if (!running) throw new Error('no cluster runs yet: ask for it in a hook or a test')
  return running
}
