import type { DataObject, Service } from '../api/core.ts'
import type { EndpointSlice } from '../api/discovery.ts'
import type { Ingress, IngressClass } from '../api/networking.ts'
import type {
  ClassParametersReading,
  ClusterSnapshot,
  ResolvedName,
  RouteFile,
  TlsSecret,
} from '../compiler/snapshot.ts'
import { type ClassFields, NO_CLASS_FIELDS } from '../model/class-fields.ts'
import type { Backend } from '../model/route-table.ts'

export interface SnapshotStoreDeps {
  /** Backends of the generation that serves; the same map for as long as they are the same (R00-22). */
  readonly servedBackends: () => ReadonlyMap<string, Backend>
}

/** What the reconcilers fill and a compile reads. */
export class SnapshotStore {
  readonly ingresses: SnapshotPart<Ingress> = new SnapshotPart()
  readonly ingressClasses: SnapshotPart<IngressClass> = new SnapshotPart()
  readonly services: SnapshotPart<Service> = new SnapshotPart()
  /** By `namespace/name` of the Service. */
  readonly endpointSlices: SnapshotPart<readonly EndpointSlice[]> = new SnapshotPart()
  /** By `namespace/name` of the Service. */
  readonly resolvedNames: SnapshotPart<ResolvedName> = new SnapshotPart()
  /** By `namespace/name`. */
  readonly classParameters: SnapshotPart<ClassParametersReading> = new SnapshotPart()
  /** By `wantedKey`. */
  readonly wantedObjects: SnapshotPart<DataObject> = new SnapshotPart()
  /** By `namespace/name`. */
  readonly tlsSecrets: SnapshotPart<TlsSecret> = new SnapshotPart()
  readonly #servedBackends: () => ReadonlyMap<string, Backend>
  #file: RouteFile | undefined
  #defaults: ClassFields = NO_CLASS_FIELDS

  constructor(deps: SnapshotStoreDeps) {
    this.#servedBackends = deps.servedBackends
  }

  /** Sets the routes of a file, or with `undefined` takes them out. */
  setFile(file: RouteFile | undefined): void {
    this.#file = file
  }

  /** Sets what the operator's configuration says for every class. */
  setDefaults(defaults: ClassFields): void {
    this.#defaults = defaults
  }

  /** All of it as it is now. Immutable: what is set later shows in the next snapshot only. */
  snapshot(): ClusterSnapshot {
    return Object.freeze({
      ingresses: this.ingresses.frozen(),
      ingressClasses: this.ingressClasses.frozen(),
      services: this.services.frozen(),
      endpointSlices: this.endpointSlices.frozen(),
      resolvedNames: this.resolvedNames.frozen(),
      file: this.#file,
      servedBackends: this.#servedBackends(),
      defaults: this.#defaults,
      classParameters: this.classParameters.frozen(),
      wantedObjects: this.wantedObjects.frozen(),
      tlsSecrets: this.tlsSecrets.frozen(),
    })
  }
}

/** Values by key, copied for a snapshot only when one of them changed since the last. */
export class SnapshotPart<T> {
  readonly #values = new Map<string, T>()
  #frozen: ReadonlyMap<string, T> | undefined

  /** Sets the value of `key`, or with `undefined` takes it out; false when it was so already. */
  put(key: string, value: T | undefined): boolean {
    if (this.#values.get(key) === value) return false
    if (value === undefined) this.#values.delete(key)
    else this.#values.set(key, value)
    this.#frozen = undefined
    return true
  }

  get(key: string): T | undefined {
    return this.#values.get(key)
  }

  /** The values as they are now, in a map that nobody changes; the same map until one does. */
  frozen(): ReadonlyMap<string, T> {
    this.#frozen ??= new Map(this.#values)
    return this.#frozen
  }
}
