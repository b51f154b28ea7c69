// What becomes of each known field of an ordinary head on its way through this hop.
import { KNOWN, KNOWN_COUNT } from './h1-names.ts'

/** `ODD`: a head with such a field is none of the ordinary ones. */
export const KEPT = 0
export const DROPPED = 1
export const ODD = 2

/** By number of a name in `KNOWN`: `KEPT`, `DROPPED` or `ODD`. */
export type FieldRules = Uint8Array

/** Of a request, towards the upstream (R20-29 to R20-44). */
export const REQUEST_RULES: FieldRules = rulesOf({
  dropped: [
    KNOWN.connection,
    KNOWN.keepAlive,
    KNOWN.proxyHop,
    KNOWN.proxy,
    KNOWN.requestId,
    KNOWN.forwardedFor,
    KNOWN.forwardedHost,
    KNOWN.forwarded,
  ],
  odd: [KNOWN.trailer, KNOWN.upgrade, KNOWN.clientCertificate, KNOWN.close],
})

/** Of a response, towards the client (R20-53). */
export const RESPONSE_RULES: FieldRules = rulesOf({
  dropped: [KNOWN.connection, KNOWN.keepAlive, KNOWN.proxyHop, KNOWN.te, KNOWN.upgrade],
  odd: [KNOWN.trailer, KNOWN.close],
})

/** Of what is copied by nobody. */
export const NO_RULES: FieldRules = rulesOf({ dropped: [], odd: [] })

function rulesOf({
  dropped,
  odd,
}: {
  readonly dropped: readonly number[]
  readonly odd: readonly number[]
}): FieldRules {
  const rules = new Uint8Array(KNOWN_COUNT).fill(KEPT)
  for (const id of dropped) rules[id] = DROPPED
  for (const id of odd) rules[id] = ODD
  return rules
}
