/** The parts of ObjectMeta that are read. Everything else is dropped before an object is stored (R50-4). */
export interface ObjectMeta {
  readonly name: string
  /** Absent on cluster-scoped objects. */
  readonly namespace?: string
  readonly uid: string
  readonly resourceVersion: string
  readonly generation?: number
  /** RFC 3339, to the second. */
  readonly creationTimestamp: string
  readonly deletionTimestamp?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
}

export interface KubernetesObject {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata: ObjectMeta
}
