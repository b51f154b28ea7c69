// Which Ingresses a change of the route table is about (R30-35).
import { keyOf } from '../model/object-ref.ts'
import type { Route, RouteTable, VirtualHost } from '../model/route-table.ts'

/** `namespace/name` of the Ingresses of which a route came, went, or acts otherwise now, its backend included. */
export function changedIngresses(before: RouteTable, after: RouteTable): ReadonlySet<string> {
  const changed = new Set<string>()
  for (const host of new Set([...before.hosts.keys(), ...after.hosts.keys()])) {
    const [was, is] = [before.hosts.get(host), after.hosts.get(host)]
    // A host that stayed the same is the same object.
    if (was !== is) noteDifferences(routesOf(was), routesOf(is), changed)
  }
  noteDifferences(listOf(before.defaultRoute), listOf(after.defaultRoute), changed)
  noteBackends(before, after, changed)
  return changed
}

function noteDifferences(before: readonly Route[], after: readonly Route[], changed: Set<string>): void {
  const [was, is] = [byText(before), byText(after)]
  for (const [text, route] of was) if (!is.has(text)) note(route, changed)
  for (const [text, route] of is) if (!was.has(text)) note(route, changed)
}

function byText(routes: readonly Route[]): ReadonlyMap<string, Route> {
  return new Map(routes.map((route) => [JSON.stringify(route), route]))
}

function noteBackends(before: RouteTable, after: RouteTable, changed: Set<string>): void {
  const others = new Set<string>()
  for (const [name, { digest }] of after.backends) {
    const was = before.backends.get(name)
    if (was !== undefined && was.digest !== digest) others.add(name)
  }
  if (others.size === 0) return
  for (const host of after.hosts.values()) {
    for (const route of routesOf(host)) if (namesOneOf(route, others)) note(route, changed)
  }
  for (const route of listOf(after.defaultRoute)) if (namesOneOf(route, others)) note(route, changed)
}

function namesOneOf({ action }: Route, backends: ReadonlySet<string>): boolean {
  return action.kind === 'forward' && action.backends.some(({ backend }) => backends.has(backend))
}

function routesOf(host: VirtualHost | undefined): readonly Route[] {
  return host ? [...host.routes, ...listOf(host.fallback)] : []
}

function listOf(route: Route | undefined): readonly Route[] {
  return route ? [route] : []
}

function note({ source, origin }: Route, changed: Set<string>): void {
  if (source === 'ingress') changed.add(keyOf(origin))
}
