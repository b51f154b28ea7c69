// The route table: what a compile gives and every worker serves. Immutable and plain, so that it crosses threads.
import type { CertificateTable } from './certificate-table.ts'
import type { Endpoint } from './endpoint-table.ts'
import type { ObjectRef } from './object-ref.ts'
import type { HealthCheck, RedirectTarget, RoutePolicy } from './policy.ts'
import type { BackendProtocol, UpstreamTls } from './upstream-tls.ts'

/** Where a route or a backend comes from (R00-18). */
export type RouteSource = 'ingress' | 'gateway' | 'file'

/**
 * How a path is matched. Values are canonical paths (lib/request-path.ts); a Prefix has no trailing slash, so `/` is
 * the empty value and takes all. An ImplementationSpecific literal is a Prefix here (R10-20). A Regex is the text of
 * the pattern without anchor; it is matched from the start and without regard to case.
 */
export type PathMatch =
  | { readonly type: 'Exact'; readonly value: string }
  | { readonly type: 'Prefix'; readonly value: string }
  | { readonly type: 'Regex'; readonly pattern: string }

/** How a path was written, for people: admin API, logs, warnings. */
export type DeclaredPathType = 'Exact' | 'Prefix' | 'ImplementationSpecific' | 'RegularExpression'

export interface WeightedBackend {
  /** Name of a backend of the same table. */
  readonly backend: string
  /** 0 or more; what counts is the share in the sum. */
  readonly weight: number
}

/** Why a route answers 503 by itself and never reaches a backend. */
export type RefusalReason = 'unresolved-service' | 'unsupported-backend' | 'external-name' | 'access-rule'

export type RouteAction =
  | { readonly kind: 'forward'; readonly backends: readonly WeightedBackend[] }
  | { readonly kind: 'refuse'; readonly reason: RefusalReason }
  | { readonly kind: 'redirect'; readonly status: RedirectStatus; readonly location: RedirectTarget }

export type RedirectStatus = 301 | 302 | 303 | 307 | 308

/** The object a route comes from, and which of its rules: `0/1` is the second path of the first rule. */
export interface RouteOrigin extends ObjectRef {
  readonly rule: string
}

/** One host + path + path type and what happens to its requests. */
export interface Route {
  /** Identity of host, path, path type and backend: what counters are carried over by (R00-17). */
  readonly id: string
  readonly match: PathMatch
  /** The path as its author wrote it, in canonical form, and the declared type. */
  readonly path: string
  readonly pathType: DeclaredPathType
  readonly action: RouteAction
  /** Absent: the process's own settings hold for it. Routes may share one. */
  readonly policy?: RoutePolicy
  /** Whoever comes by http is sent to https before anything else happens (R11-57, R11-157). */
  readonly httpsFirst?: true
  readonly source: RouteSource
  readonly origin: RouteOrigin
}

/** The host of the hostless catch-all; no rule can spell it. */
export const ANY_HOST = '*'

/** An exact name, a wildcard (`*.example.com`, one label), or the hostless catch-all, with its routes. */
export interface VirtualHost {
  /** In the one form of lib/host-name.ts, or `ANY_HOST`. */
  readonly host: string
  /** In order of precedence (R10-26); the first that matches takes the request. */
  readonly routes: readonly Route[]
  /** Takes what no route of this host takes (R10-45); `undefined`: the table's default route does. */
  readonly fallback: Route | undefined
  /** Over all that the data plane acts on. */
  readonly digest: string
}

/** How an endpoint is chosen (R20-131 to R20-135). */
export type BalancingPolicy = 'roundRobin' | 'leastConn' | 'random' | 'ewma' | HashPolicy

/** Equal keys go to one endpoint as long as it is there (R20-135). */
export interface HashPolicy {
  readonly kind: 'hash'
  readonly key: HashKey
}

/** Text and facts of the request in turn: a string stands for itself (R20-138). */
export type HashKey = readonly (string | HashVariable)[]

/** `uri`: the canonical path; `requestUri`: with its query. Names of headers are in lower case. */
export type HashVariable =
  | { readonly kind: 'requestUri' | 'uri' | 'remoteAddr' | 'host' }
  | { readonly kind: 'header' | 'cookie' | 'query'; readonly name: string }

/** One Service port, or one backend of a routes file; shared by all routes that name it. */
export interface Backend {
  /** `namespace/service:port`, or the name in the file. */
  readonly name: string
  readonly source: RouteSource
  readonly policy: BalancingPolicy
  /** For how long an endpoint that came later than others grows to its share; absent: it has it at once (R20-143). */
  readonly slowStartMs?: number
  /** The active check of its endpoints; absent: none (R20-150). */
  readonly healthCheck?: HealthCheck
  /** What is spoken to its endpoints; absent: HTTP/1.1 in plaintext. */
  readonly protocol?: BackendProtocol
  /** With `https` and `h2`, and with no other protocol. */
  readonly tls?: UpstreamTls
  /** The cluster IP of the Service is its only endpoint (R50-17). */
  readonly dialsService?: true
  /** Addresses written in a routes file: configuration, kept with it (R00-22). `undefined`: they come from the cluster. */
  readonly fixedEndpoints: readonly Endpoint[] | undefined
  readonly digest: string
}

export interface RouteTable {
  /** By `VirtualHost.host`. */
  readonly hosts: ReadonlyMap<string, VirtualHost>
  /** By name; every backend that a route names, and no other. */
  readonly backends: ReadonlyMap<string, Backend>
  /** Takes what no host and no path takes; `undefined`: such a request is answered 404. */
  readonly defaultRoute: Route | undefined
  /** The other half of the configuration; absent: no name has a certificate. */
  readonly certificates?: CertificateTable
  /** The configuration's digest: over `elementsOf` this table (R00-8). */
  readonly digest: string
}

/** The key and digest of one element of a table, as they enter the digest of the whole. */
export type ElementDigest = readonly [key: string, digest: string]

/** The key of a virtual host among the elements of the configuration. */
export function hostKey(host: string): string {
  return `host ${host}`
}

/** The key of a backend among the elements of the configuration. */
export function backendKey(name: string): string {
  return `backend ${name}`
}

/** The key of the default route among the elements of the configuration. */
export const DEFAULT_ROUTE_KEY = 'default'
