/** An address to listen on, as a flag says it (R20-17). */
export interface ListenAddress {
  /** An IP address without brackets; `undefined`: every address of both families. */
  readonly host: string | undefined
  /** 0: any free port, the same for every worker and family. */
  readonly port: number
}

/** One socket that every worker binds. */
export interface BoundListener {
  /** An IP address without brackets. */
  readonly host: string
  /** 0 until the first worker has bound it. */
  readonly port: number
  /** Whether clients speak TLS to it. */
  readonly secure: boolean
}
