// What we write onto Ingresses, and how the rest of the program is kept from noticing (R30-33).
import type { Ingress } from '../api/networking.ts'
import { contentChangedBut, type Predicate } from '../runtime/predicate.ts'

/** Says the number of the compiled generation that last included the Ingress. */
export const OBSERVED_GENERATION = 'ramjet.dev/observed-generation'

/** Says on the Lease the number and the digest for which everything was written (R30-15). */
export const CONFIGURATION = 'ramjet.dev/configuration'

/** Whose writes they are, in `metadata.managedFields`. */
export const FIELD_MANAGER = 'ramjet-ingress'

/** True unless an update changed nothing but what we write ourselves, so that no write of ours causes a compile. */
export const ingressChanged: Predicate<Ingress> = contentChangedBut(withoutWritten)

function withoutWritten({ addresses: _addresses, ...ingress }: Ingress): Ingress {
  const { annotations, ...metadata } = ingress.metadata
  if (annotations === undefined) return ingress
  const { [OBSERVED_GENERATION]: _observed, ...others } = annotations
  // An object without annotations and one with none left are the same.
  return { ...ingress, metadata: { ...metadata, ...(Object.keys(others).length === 0 ? {} : { annotations: others }) } }
}
