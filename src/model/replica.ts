/** One pod of this program, as the EndpointSlices of the admin Service name it (R32-40). */
export interface Replica {
  /** Of the pod; its address where a slice names none. */
  readonly name: string
  /** Of its admin listener: `192.0.2.1:10254` or `[2001:db8::1]:10254`. */
  readonly address: string
  readonly ready: boolean
  /** This very process. */
  readonly self: boolean
}
