import { type BucketedDigest, changeDigestInSteps, emptyDigest } from '../lib/bucketed-digest.ts'
import { err, ok, type Result } from '../lib/result.ts'
import type { Steps } from '../lib/steps.ts'
import { certificateKey, serverNameKey } from '../model/certificate-table.ts'
import { endpointElements, routeElements } from '../model/elements.ts'
import type { EndpointTable } from '../model/endpoint-table.ts'
import { backendKey, DEFAULT_ROUTE_KEY, hostKey, type RouteTable } from '../model/route-table.ts'
import { changeEndpoints, changeRoutes, type PairDelta } from './delta.ts'

/** The tables that a worker holds, and the digests that it made over their elements itself. */
export interface BuiltTables {
  readonly routes: RouteTable
  readonly endpoints: EndpointTable
  readonly routesDigest: BucketedDigest
  readonly endpointsDigest: BucketedDigest
}

/** The tables of a worker that has received nothing. */
export function noTables(): BuiltTables {
  const digest = emptyDigest()
  return {
    routes: { hosts: new Map(), backends: new Map(), defaultRoute: undefined, digest: digest.root },
    endpoints: { byBackend: new Map(), digest: digest.root },
    routesDigest: digest,
    endpointsDigest: digest,
  }
}

/** Puts `delta` onto `base`, step by step. The error says which digest is not the one that was announced (R30-10). */
export function* buildTables(base: BuiltTables, delta: PairDelta): Steps<Result<BuiltTables, string>> {
  const [set, removed] = [setRoutes(delta), removedRoutes(delta)]
  yield
  const routesDigest = yield* changeDigestInSteps(base.routesDigest, set, removed)
  if (routesDigest.root !== delta.digest) return err(mismatch('configuration', routesDigest.root, delta.digest))
  yield
  const setEndpoints = endpointElements({ byBackend: byKey(delta.endpoints.set, ({ backend }) => backend) })
  const endpointsDigest = yield* changeDigestInSteps(base.endpointsDigest, setEndpoints, delta.endpoints.removed)
  if (endpointsDigest.root !== delta.endpointsDigest) {
    return err(mismatch('endpoints', endpointsDigest.root, delta.endpointsDigest))
  }
  yield
  const routes = changeRoutes(base.routes, delta)
  yield
  return ok({ routes, endpoints: changeEndpoints(base.endpoints, delta), routesDigest, endpointsDigest })
}

function setRoutes({ hosts, backends, defaultRoute, certificates, serverNames }: PairDelta): Map<string, string> {
  return routeElements({
    hosts: byKey(hosts.set, ({ host }) => host),
    backends: byKey(backends.set, ({ name }) => name),
    defaultRoute: defaultRoute?.route,
    certificates: {
      certificates: byKey(certificates.set, ({ handle }) => handle),
      serverNames: byKey(serverNames.set, ({ host }) => host),
    },
  })
}

function removedRoutes({ hosts, backends, defaultRoute, certificates, serverNames }: PairDelta): string[] {
  const keys = [
    ...hosts.removed.map(hostKey),
    ...backends.removed.map(backendKey),
    ...certificates.removed.map(certificateKey),
    ...serverNames.removed.map(serverNameKey),
  ]
  if (defaultRoute && !defaultRoute.route) keys.push(DEFAULT_ROUTE_KEY)
  return keys
}

function byKey<T>(elements: readonly T[], keyOf: (element: T) => string): Map<string, T> {
  return new Map(elements.map((element) => [keyOf(element), element]))
}

function mismatch(what: string, built: string, announced: string): string {
  return `the ${what} came out as ${built} and was announced as ${announced}`
}
