/** A Service, by its two names. */
export interface ServiceName {
  readonly namespace: string
  readonly name: string
}

/** The admin Service that config/ installs, in our own namespace; `undefined`: nobody said which that is. */
export function adminServiceIn(namespace: string | undefined): ServiceName | undefined {
  return namespace === undefined ? undefined : { namespace, name: 'ramjet-admin' }
}
