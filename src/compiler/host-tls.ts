import type { TlsPolicy } from '../model/certificate-table.ts'
import type { Contribution } from './contribution.ts'

/** What annotations say about the handshakes for one host; it stands in the outcome of that host. */
export interface HostTls {
  readonly policy: TlsPolicy
  /** The bytes go to a backend unread; whoever else has TLS entries for the host is told (R21-30). */
  readonly passthrough?: { readonly backend: string; readonly by: Contribution }
}
