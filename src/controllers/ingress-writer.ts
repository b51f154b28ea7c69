import { decodeIngress } from '../api/decode-networking.ts'
import type { Ingress } from '../api/networking.ts'
import { INGRESSES } from './kinds.ts'
import { ObjectWriter, type ObjectWriterDeps, type WrittenPart } from './object-writer.ts'

/** One thing that is written onto Ingresses. */
export type IngressPart = WrittenPart<Ingress>

export type IngressWriterDeps = Omit<ObjectWriterDeps<Ingress>, 'resource' | 'decode'>

/** The one writer of Ingresses. */
export class IngressWriter extends ObjectWriter<Ingress> {
  constructor(deps: IngressWriterDeps) {
    super({ ...deps, resource: INGRESSES, decode: decodeIngress })
  }
}
