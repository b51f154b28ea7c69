// Binds every listener of the process, or says of each one why not.
import { AdminTokenError } from '../admin/admin-token.ts'
import type { AdminServer } from '../admin/api.ts'
import { explainFault } from '../dataplane/bind-check.ts'
import type { DataPlane, StartOptions } from '../dataplane/data-plane.ts'
import { messageOf } from '../lib/errors.ts'
import { formatListenAddress, type ListenAddress } from '../settings/address.ts'
import { StartError } from './app-options.ts'

export interface BindOptions extends StartOptions {
  /** Of the admin listener; `undefined`: none. */
  readonly address: ListenAddress | undefined
}

/**
 * Tries every listener before it gives up, and tells all faults at once (R20-25): throws a `StartError`, with all that was
 * bound closed again.
 */
export async function bindAll(
  dataPlane: DataPlane,
  admin: AdminServer,
  { address, ...options }: BindOptions,
): Promise<void> {
  const outcomes = await Promise.allSettled([
    dataPlane.start(options),
    address === undefined ? undefined : admin.listen(address).catch((error: unknown) => failedToListen(address, error)),
  ])
  const faults = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [messageOf(outcome.reason)] : []))
  if (faults.length === 0) return
  await Promise.all([dataPlane.stop(), admin.close()])
  throw new StartError(faults.join('\n'))
}

function failedToListen(address: ListenAddress, error: unknown): never {
  if (error instanceof AdminTokenError) throw error
  const errno = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
  const fault = { address: formatListenAddress(address), port: address.port, errno, cause: messageOf(error) }
  throw new StartError(explainFault(fault, { uid: process.getuid?.(), maxOpenFiles: undefined }))
}
