// What answers whatever nothing else claimed (R10-43, R10-44, R10-46, R10-47).
import { classPolicy } from '../annotations/route-policy.ts'
import type { ServicePortText } from '../lib/service-port.ts'
import { ANY_HOST, type Route, type VirtualHost } from '../model/route-table.ts'
import { classDefault, settingBackend } from './class-default.ts'
import type { ClassTerms } from './class-terms.ts'
import { nameOf } from './conflicts.ts'
import type { Contribution } from './contribution.ts'
import type { Finding, Notes } from './finding.ts'
import { type DefaultOwner, secondDefault } from './hosts.ts'
import { type BackendUse, fallbackRoute, type RoutingSources, routeTo, withHttps, withPolicy } from './routing.ts'

export interface DefaultState {
  readonly route: Route | undefined
  /** At most one. */
  readonly uses: readonly BackendUse[]
}

const LABEL = 'the default backend for all other hosts'
const PLACE = '(default)'

/** The default backends that are no Ingress's. */
export interface OtherDefaults {
  /** Of the oldest class that sets one. */
  readonly ofClasses: ClassTerms | undefined
  /** Of the operator's `defaults`. */
  readonly ofOperator: ServicePortText | undefined
  /** Of `--default-backend`. */
  readonly ofFlag: ServicePortText | undefined
}

/** Compiles the default route: always, since it costs as much as one path. */
export function compileDefaultRoute(
  defaults: readonly Contribution[],
  others: OtherDefaults,
  sources: RoutingSources,
  { last, catchAll }: { readonly last: DefaultState; readonly catchAll: VirtualHost | undefined },
): { readonly state: DefaultState; readonly notes: Notes } {
  const owner = ownerOf(defaults, others)
  const routed = owner && routeTo(owner.backend, { ...owner, label: LABEL }, sources)
  const bare = owner && routed && fallbackRoute(PLACE, owner.object, owner.source, routed)
  const route = bare && withHttps(withPolicy(bare, owner?.policy), owner?.https === 'always')
  const findings = [...(routed?.findings ?? []), ...conflicts(defaults), ...shadowed(defaults[0], catchAll)]
  const isSame = JSON.stringify(route) === JSON.stringify(last.route)
  return {
    state: { route: isSame ? last.route : route, uses: routed?.use ? [routed.use] : [] },
    notes: new Map([['default', findings]]),
  }
}

function ownerOf(defaults: readonly Contribution[], others: OtherDefaults): DefaultOwner | undefined {
  const [first] = defaults
  if (!first?.defaultBackend) return ofSettings(others)
  // Objects without rules have no host of their own: what one of them guards is what is left over.
  const isClosed = first.closed.location || defaults.some(({ closed }) => closed.host)
  const { object, source, policy, https, defaultBackend } = first
  return { object, source, backend: defaultBackend.backend, policy, https, isClosed }
}

/** A class before the operator's configuration, and that before the flag (R42-21). */
function ofSettings({ ofClasses, ofOperator, ofFlag }: OtherDefaults): DefaultOwner | undefined {
  const ofClass = ofClasses && classDefault(ofClasses)
  if (ofClass)
    return { ...ofClass, source: 'ingress', policy: classPolicy(ofClasses.fields), https: undefined, isClosed: false }
  const [port, field, kind] = ofOperator
    ? ([ofOperator, 'defaults.defaultBackend', 'Config'] as const)
    : ([ofFlag, '--default-backend', 'Flag'] as const)
  if (!port) return undefined
  const object = { kind, namespace: '', name: field }
  return {
    object,
    source: 'ingress',
    backend: settingBackend(port, field),
    policy: undefined,
    https: undefined,
    isClosed: false,
  }
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
