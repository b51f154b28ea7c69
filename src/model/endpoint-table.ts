// The endpoint table: live, in no generation (R00-22).

/** One address and port of a backend that may be dialled. */
export interface Endpoint {
  /** `192.0.2.1:8080` or `[2001:db8::1]:8080`: the identity by which counters and in-flight counts are carried over. */
  readonly address: string
  /** The IP address without brackets, for connecting. */
  readonly host: string
  readonly port: number
  /** Share of requests; 0 gets none (R20-141). */
  readonly weight: number
  /** `terminating`: used only because its backend has no ready endpoint left (R10-35). */
  readonly readiness: 'ready' | 'terminating'
}

export interface BackendEndpoints {
  /** Name of the backend. */
  readonly backend: string
  /** In a fixed order that does not depend on the order of slices; may be empty. */
  readonly endpoints: readonly Endpoint[]
  readonly digest: string
}

export interface EndpointTable {
  /** One entry for each backend of the generations that are or may be served, by name. */
  readonly byBackend: ReadonlyMap<string, BackendEndpoints>
  /** Over (backend, digest) of every entry, made as the configuration's. */
  readonly digest: string
}
