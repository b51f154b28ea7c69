// What a class sets for the objects that it serves (R42-21, R50-13).
import { type ClassFields, NO_CLASS_FIELDS } from '../model/class-fields.ts'
import type { ObjectRef } from '../model/object-ref.ts'

export interface ClassTerms {
  /** Its class; `undefined`: it has none that exists, or is none of a cluster. */
  readonly ingressClass: string | undefined
  /** The class parameters over the operator's defaults; a `defaultBackend` only where the class itself sets one. */
  readonly fields: ClassFields
  /** The ClassParameters that the class names. */
  readonly parameters: ObjectRef | undefined
}

/** The terms of what has no class, and of a file. */
export const NO_CLASS_TERMS: ClassTerms = { ingressClass: undefined, fields: NO_CLASS_FIELDS, parameters: undefined }

/**
 * The fields of a class: its parameters written over `defaults`. The default backend of `defaults` is left out: it
 * answers what belongs to no class at all, as the flag's does, and only after an Ingress's (R10-43, R10-44).
 */
export function fieldsOver(defaults: ClassFields, parameters: ClassFields): ClassFields {
  const { defaultBackend: _, ...others } = defaults
  return { ...others, ...parameters }
}
