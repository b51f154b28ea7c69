import { type Reconciler, requestKey } from '../runtime/reconciler.ts'
import type { TlsSecrets } from './tls-secrets.ts'

/** Has a TLS Secret of the snapshot read anew as the cache has it. */
export function createTlsSecretReconciler(secrets: Pick<TlsSecrets, 'look'>): Reconciler {
  return {
    reconcile(request, { receivedAtMs }) {
      secrets.look(requestKey(request), receivedAtMs)
      return {}
    },
  }
}
