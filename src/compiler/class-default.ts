// The default backends that are set for many objects at once (R42-21).
import type { ServicePortText } from '../lib/service-port.ts'
import type { ObjectRef } from '../model/object-ref.ts'
import type { ClassTerms } from './class-terms.ts'
import type { BackendRef } from './contribution.ts'

/** The default backend that a class itself sets, and who is told where it cannot be found. */
export function classDefault({
  fields,
  parameters,
}: ClassTerms): { readonly backend: BackendRef; readonly object: ObjectRef } | undefined {
  if (!fields.defaultBackend || !parameters) return undefined
  return { backend: settingBackend(fields.defaultBackend, 'spec.defaultBackend'), object: parameters }
}

/** A Service port that a setting names, as a reference to look up. Unlike an object's, it says its namespace. */
export function settingBackend({ namespace, name, port }: ServicePortText, field: string): BackendRef {
  return { kind: 'service', namespace, name, port: /^\d+$/.test(port) ? Number(port) : port, field }
}
