/** A kind as the API server serves it. */
export interface Resource {
  /** Empty for the core group. */
  readonly group: string
  readonly version: string
  /** `ingresses`: the kind as paths, permissions and metrics have it. */
  readonly plural: string
  /** `Ingress`. */
  readonly kind: string
  readonly namespaced: boolean
}

/** Narrows what is read of a kind; `undefined` is all of it. `name` is the object of that name alone (R30-2). */
export interface Selection {
  readonly name?: string
  /** Of a Secret: the field `type` (R30-1). */
  readonly type?: string
  /** In the syntax of label selectors: `kubernetes.io/service-name=web`. */
  readonly labels?: string
}

/** What a list or a watch is asked with so that it gives what is selected. */
export function selectionQuery({ name, type, labels }: Selection = {}): Readonly<Record<string, string>> {
  const fields = [
    ...(name === undefined ? [] : [`metadata.name=${name}`]),
    ...(type === undefined ? [] : [`type=${type}`]),
  ]
  return {
    ...(fields.length === 0 ? {} : { fieldSelector: fields.join(',') }),
    ...(labels === undefined ? {} : { labelSelector: labels }),
  }
}

/** `ingresses.networking.k8s.io`, or `services` where there is no group: the name in messages. */
export function resourceName({ group, plural }: Resource): string {
  return group === '' ? plural : `${plural}.${group}`
}

/** The path of the group and version of the kind: where discovery lists what it has. */
export function groupPath({ group, version }: Resource): string {
  return group === '' ? `/api/${version}` : `/apis/${group}/${version}`
}

/** The path of all objects of the kind, or of those in `namespace`. */
export function collectionPath(resource: Resource, namespace: string | undefined): string {
  const { plural } = resource
  const root = groupPath(resource)
  return namespace === undefined ? `${root}/${plural}` : `${root}/namespaces/${encodeURIComponent(namespace)}/${plural}`
}
