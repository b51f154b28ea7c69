// What answers whatever nothing else claimed (R10-43, R10-44, R10-46, R10-47).
import { ANY_HOST, type Route, type VirtualHost } from '../model/route-table.ts'
import { nameOf } from './conflicts.ts'
import type { BackendRef, Contribution } from './contribution.ts'
import type { Finding, Notes } from './finding.ts'
import { secondDefault } from './hosts.ts'
import { type BackendUse, fallbackRoute, type RoutingSources, routeTo } from './routing.ts'
import type { CompileSettings } from './snapshot.ts'

export interface DefaultState {
  readonly route: Route | undefined
  /** At most one. */
  readonly uses: readonly BackendUse[]
}

/** Whose default backend it is. */
type Owner = Pick<Contribution, 'object' | 'source'> & { readonly backend: BackendRef; readonly isClosed: boolean }

const LABEL = 'the default backend for all other hosts'
const PLACE = '(default)'

/** Compiles the default route: always, since it costs as much as one path. */
export function compileDefaultRoute(
  defaults: readonly Contribution[],
  settings: CompileSettings,
  sources: RoutingSources,
  { last, catchAll }: { readonly last: DefaultState; readonly catchAll: VirtualHost | undefined },
): { readonly state: DefaultState; readonly notes: Notes } {
  const owner = ownerOf(defaults, settings)
  const routed = owner && routeTo(owner.backend, { ...owner, label: LABEL }, sources)
  const route = owner && routed && fallbackRoute(PLACE, owner.object, owner.source, routed)
  const findings = [...(routed?.findings ?? []), ...conflicts(defaults), ...shadowed(defaults[0], catchAll)]
  const isSame = JSON.stringify(route) === JSON.stringify(last.route)
  return {
    state: { route: isSame ? last.route : route, uses: routed?.use ? [routed.use] : [] },
    notes: new Map([['default', findings]]),
  }
}

function ownerOf(defaults: readonly Contribution[], settings: CompileSettings): Owner | undefined {
  const [first] = defaults
  if (!first?.defaultBackend) return ofFlag(settings)
  // Objects without rules have no host of their own: what one of them guards is what is left over.
  const isClosed = first.closed.location || defaults.some(({ closed }) => closed.host)
  return { object: first.object, source: first.source, backend: first.defaultBackend.backend, isClosed }
}

function ofFlag({ defaultBackend }: CompileSettings): Owner | undefined {
  if (!defaultBackend) return undefined
  const { namespace, name, port } = defaultBackend
  const object = { kind: 'Flag', namespace: '', name: '--default-backend' }
  const number = /^\d+$/.test(port) ? Number(port) : port
  const backend = { kind: 'service', namespace, name, port: number, field: '--default-backend' } as const
  return { object, source: 'ingress', backend, isClosed: false }
}

function conflicts(defaults: readonly Contribution[]): readonly Finding[] {
  const [holder, ...others] = defaults
  return holder ? others.map((other) => secondDefault(other, holder, LABEL)) : []
}

/** A hostless rule for everything hides the default backend of an Ingress without rules. */
function shadowed(holder: Contribution | undefined, catchAll: VirtualHost | undefined): readonly Finding[] {
  if (holder?.source !== 'ingress') return []
  const rule = catchAll?.routes.find(({ match }) => match.type === 'Prefix' && match.value === '')
  if (!rule || catchAll?.host !== ANY_HOST) return []
  const found = `rule ${rule.origin.rule} of ${nameOf(rule.origin)} takes every path of every other host`
  const effect = 'this default backend is not reached there'
  return [{ reason: 'DefaultBackendShadowed', object: holder.object, field: 'spec.defaultBackend', found, effect }]
}
