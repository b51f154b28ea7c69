// What one object asks for, read by itself: its own fields and nothing of any other object.
import type { HttpsDemand } from '../annotations/https-redirects.ts'
import type { ClosedScopes } from '../annotations/parse.ts'
import type { Certificate } from '../model/certificate-table.ts'
import type { ObjectRef } from '../model/object-ref.ts'
import type { RedirectTarget, RoutePolicy } from '../model/policy.ts'
import type { DeclaredPathType, PathMatch, RouteOrigin, RouteSource } from '../model/route-table.ts'
import type { ClassTerms } from './class-terms.ts'

/** What a path or a default backend names, not looked up yet. */
export type BackendRef =
  | {
      readonly kind: 'service'
      readonly namespace: string
      readonly name: string
      /** `undefined`: the reference says none. */
      readonly port: number | string | undefined
      readonly field: string
    }
  /** `spec...backend.resource`, or nothing that is known. */
  | { readonly kind: 'unsupported'; readonly text: string; readonly field: string }
  /** A backend of the routes file, by its name in the table. */
  | { readonly kind: 'file'; readonly name: string; readonly field: string }

/** One path that may become a route. */
export interface Candidate {
  readonly match: PathMatch
  readonly path: string
  readonly pathType: DeclaredPathType
  /** Of the pattern; 0 where there is none. */
  readonly instructions: number
  readonly backend: BackendRef
  readonly policy: RoutePolicy | undefined
  /** Where requests are sent instead of to the backend. */
  readonly redirect: RedirectTarget | undefined
  /** When its clients are sent to https; `undefined`: never. */
  readonly https: HttpsDemand | undefined
  readonly origin: RouteOrigin
  /** Of the path: `spec.rules[0].http.paths[1].path`. */
  readonly field: string
}

export interface DefaultBackend {
  readonly backend: BackendRef
  /** Whether it answers for all hosts that nobody claimed, and not for the hosts of its own object (R10-44, R10-45). */
  readonly isGlobal: boolean
  readonly field: string
}

/** Names, and the certificate that they ask for. */
export interface TlsEntry {
  /** In their one form; of a routes file also `DEFAULT_SERVER_NAME`. `undefined`: the certificate's own names. */
  readonly hosts: readonly string[] | undefined
  readonly source: TlsSource
  /** `spec.tls[0]`. */
  readonly field: string
}

export type TlsSource =
  /** `key` is `namespace/name`. */
  | { readonly kind: 'secret'; readonly key: string; readonly name: string }
  /** The default certificate (R21-11). */
  | { readonly kind: 'default' }
  /** Of a routes file, which holds it itself. */
  | { readonly kind: 'pair'; readonly certificate: Certificate }

export interface Contribution {
  /** `namespace/name`; of a file its name. */
  readonly key: string
  readonly object: ObjectRef
  readonly source: RouteSource
  /** RFC 3339; empty where it is not known. */
  readonly createdAt: string
  /** By host in its one form, in the order written. A host of which every path is lost has an empty list. */
  readonly hosts: ReadonlyMap<string, readonly Candidate[]>
  readonly defaultBackend: DefaultBackend | undefined
  /** In the order written. */
  readonly tls: readonly TlsEntry[]
  /** The limits of all its paths, its default backend included. */
  readonly policy: RoutePolicy | undefined
  /** When clients of its default backend are sent to https. */
  readonly https: HttpsDemand | undefined
  /** Texts of its good keys that reach every path of its hosts (R11-15). */
  readonly hostTexts: ReadonlyMap<string, string>
  /** The same of keys that reach all routes to its Service ports. */
  readonly backendTexts: ReadonlyMap<string, string>
  /** What a guard that is not in the build, or that cannot be read, closes (R11-9, R11-163). */
  readonly closed: ClosedScopes
  /** What its class sets; weaker than what it says itself (R11-17). */
  readonly terms: ClassTerms
}

/** One object's contribution as it was and as it is; `undefined` where it is not ours, or not there. */
export interface ContributionChange {
  readonly before: Contribution | undefined
  readonly after: Contribution | undefined
}
