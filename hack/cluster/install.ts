import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { kubectlEnvironment } from './kubeconfig.ts'
import type { Cluster } from './start.ts'

const REPOSITORY = join(import.meta.dirname, '..', '..')

/** Installs config/ as it ships, by the command that a user types. Resolves with what kubectl printed. */
export async function installRamjet(cluster: Cluster): Promise<string> {
  return kubectl(cluster, ['apply', '--server-side', '-k', 'config'])
}

/** Runs the cluster's own kubectl in the repository's root as an administrator. Rejects where it fails. */
export async function kubectl({ bin, work }: Cluster, args: readonly string[]): Promise<string> {
  const env = { ...process.env, ...kubectlEnvironment(work) }
  const { stdout } = await promisify(execFile)(join(bin, 'kubectl'), args, { cwd: REPOSITORY, env })
  return stdout
}
