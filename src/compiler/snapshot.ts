// All that a compile reads. Immutable; a map that did not change is the same map as in the snapshot before.
import type { DataObject, Service } from '../api/core.ts'
import type { EndpointSlice } from '../api/discovery.ts'
import type { Ingress, IngressClass } from '../api/networking.ts'
import type { Result } from '../lib/result.ts'
import type { Certificate } from '../model/certificate-table.ts'
import type { ClassFields } from '../model/class-fields.ts'
import type { HealthCheck } from '../model/policy.ts'
import type { Backend, BalancingPolicy } from '../model/route-table.ts'
import type { BackendProtocol, UpstreamTls } from '../model/upstream-tls.ts'

export interface ClusterSnapshot {
  /** By `namespace/name`. */
  readonly ingresses: ReadonlyMap<string, Ingress>
  /** By name. */
  readonly ingressClasses: ReadonlyMap<string, IngressClass>
  /** By `namespace/name`. */
  readonly services: ReadonlyMap<string, Service>
  /** By `namespace/name` of the Service that the slices belong to. */
  readonly endpointSlices: ReadonlyMap<string, readonly EndpointSlice[]>
  /** By `namespace/name` of an ExternalName Service: what its name resolves to now (R10-38). */
  readonly resolvedNames: ReadonlyMap<string, ResolvedName>
  /** The routes of a file; `undefined` where there is none. */
  readonly file: RouteFile | undefined
  /** Backends of the generation that serves: resolved too, also where the newest one no longer names them (R00-22). */
  readonly servedBackends: ReadonlyMap<string, Backend>
  /** What the operator's configuration says for every class (R42-21). */
  readonly defaults: ClassFields
  /** By `namespace/name`. */
  readonly classParameters: ReadonlyMap<string, ClassParametersReading>
  /** Secrets and ConfigMaps that the compile before wanted, by `wantedKey`; those that do not exist are not here. */
  readonly wantedObjects: ReadonlyMap<string, DataObject>
  /** By `namespace/name`. Of those that the compile before used also what does not exist: no entry says nothing yet. */
  readonly tlsSecrets: ReadonlyMap<string, TlsSecret>
}

/** What a Secret holds for TLS. It is read when it is first asked for, and once for each version (R30-6). */
export interface TlsSecret {
  /** The pair that it holds; the error is the end of a sentence that begins with the Secret: `does not exist`. */
  readonly current: Result<Certificate, string>
  /** Of another type than kubernetes.io/tls (R21-10). */
  readonly isOpaque: boolean
  /** What it held before `current` was of no use; `undefined`: nothing, or its time is over (R21-14). */
  readonly lastGood: Certificate | undefined
}

/** A ClassParameters object, judged when it was read (R50-16). */
export type ClassParametersReading =
  | { readonly kind: 'valid'; readonly fields: ClassFields }
  /** `problem` begins where the field's name ends: `is 5, and a duration needs a unit`. */
  | { readonly kind: 'invalid'; readonly field: string; readonly problem: string }

/** What a resolver found for a name. */
export interface ResolvedName {
  /** As the Service had it when it was resolved: addresses of another name are of no use. */
  readonly name: string
  /** IP addresses, not judged yet (R20-184). */
  readonly addresses: readonly string[]
}

/** A routes file that was read and whose values have the right types (R20-174). */
export interface RouteFile {
  /** The file's name, for origins and messages. */
  readonly name: string
  readonly backends: readonly FileBackend[]
  readonly routes: readonly FileRoute[]
  /** Name of a backend of this file. */
  readonly defaultBackend: string | undefined
  /** Absent: no host has a certificate by this file. */
  readonly tls?: readonly FileTls[]
}

/** A certificate, read from the PEM files that the routes file names (R21-36). */
export interface FileTls {
  /** In its one form; `undefined`: every name that no other entry has, and no name at all. */
  readonly host: string | undefined
  readonly certificate: Certificate
}

export interface FileBackend {
  readonly name: string
  readonly policy: BalancingPolicy
  readonly endpoints: readonly { readonly host: string; readonly port: number; readonly weight: number }[]
  readonly slowStartMs?: number
  readonly healthCheck?: HealthCheck
  /** Absent: HTTP/1.1 in plaintext. */
  readonly protocol?: BackendProtocol
  readonly tls?: UpstreamTls
}

export interface FileRoute {
  /** `undefined`: every name not claimed by another route. */
  readonly host: string | undefined
  readonly path: string
  readonly pathType: 'Exact' | 'Prefix' | 'ImplementationSpecific'
  /** Name of a backend of this file. */
  readonly backend: string
}

/** What the flags say to a compile. */
export interface CompileSettings {
  /** `--ingress-class`. */
  readonly ingressClass: string
  /** Whether `--ingress-class` was given by flag or environment: then it narrows (R10-3). */
  readonly ingressClassGiven: boolean
  /** `--controller-name`. */
  readonly controllerName: string
  /** `--watch-ingress-without-class`. */
  readonly watchIngressWithoutClass: boolean
  /** `--default-backend`; the port by number or by name. */
  readonly defaultBackend: { readonly namespace: string; readonly name: string; readonly port: string } | undefined
  /** `--allow-external-name`. */
  readonly allowExternalName: boolean
  /** `address:port` of our own admin listener on every address of this pod and its node (R20-184). Absent: none is known. */
  readonly neverDialled?: ReadonlySet<string>
  /** `--default-tls-secret`, as `namespace/name`. */
  readonly defaultTlsSecret?: string | undefined
  /** `--self-signed-default`: serves as the default where there is no other. */
  readonly selfSigned?: Certificate | undefined
}
