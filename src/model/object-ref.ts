/** Names the object that a value came from, without knowing its type. */
export interface ObjectRef {
  /** `Ingress`, `IngressClass`, `Service`, `File` ... */
  readonly kind: string
  /** Empty for what is cluster-scoped, a file or the process. */
  readonly namespace: string
  readonly name: string
}

/** `namespace/name`, or the bare name where there is no namespace: the key of an object in every cache and log line. */
export function keyOf(ref: { readonly namespace: string; readonly name: string }): string {
  return ref.namespace === '' ? ref.name : `${ref.namespace}/${ref.name}`
}

/** The object of such a key. Neither names nor namespaces hold a slash. */
export function refOf(kind: string, key: string): ObjectRef {
  const slash = key.indexOf('/')
  return { kind, namespace: key.slice(0, Math.max(0, slash)), name: key.slice(slash + 1) }
}
