/** What a TLS connection to the API server is made with. PEM texts; `undefined` leaves it to the machine's defaults. */
export interface TlsMaterial {
  readonly ca: string | undefined
  readonly cert: string | undefined
  readonly key: string | undefined
  /** The name to ask for and to verify, where it is not that of the address. */
  readonly servername: string | undefined
  /** False only where a kubeconfig says `insecure-skip-tls-verify`. */
  readonly verify: boolean
}

export interface Credentials {
  /** To be sent with each request; empty where a client certificate is the identity. */
  readonly headers: Readonly<Record<string, string>>
  /** The same object for as long as nothing in it changed. */
  readonly tls: TlsMaterial
}

/** Where the API server is and who we are to it. */
export interface ClusterAccess {
  /** Scheme, host and port, and a path where the server stands below one. */
  readonly server: URL
  /** Where all this was read, for people: `service account in /var/run/...`. */
  readonly source: string
  /** What to connect and to ask with now; read again when it is due. Rejects when nothing usable was ever read. */
  credentials(): Promise<Credentials>
  /** Makes the next `credentials` read everything again: the server answered 401. */
  expire(): void
}

/** `next`, or `before` where it says the same, so that an agent is rebuilt only for a change. */
export function keepSame(before: TlsMaterial | undefined, next: TlsMaterial): TlsMaterial {
  return before !== undefined && isSame(before, next) ? before : next
}

function isSame(a: TlsMaterial, b: TlsMaterial): boolean {
  return a.ca === b.ca && a.cert === b.cert && a.key === b.key && a.servername === b.servername && a.verify === b.verify
}
