/** A Service, by its two names. */
export interface ServiceName {
  readonly namespace: string
  readonly name: string
}
