import { type Reconciler, requestKey } from '../runtime/reconciler.ts'
import type { SecretSources } from './secret-sources.ts'

/** Has a TLS Secret of the snapshot read anew as the cache has it. */
export function createTlsSecretReconciler(secrets: Pick<SecretSources, 'look'>): Reconciler {
  return {
    reconcile(request, { receivedAtMs }) {
      secrets.look(requestKey(request), receivedAtMs)
      return {}
    },
  }
}
