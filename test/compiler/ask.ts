// What a compiled table does with a request, in one short text.
import { parseAuthority } from '../../src/lib/host-name.ts'
import { canonicalPath } from '../../src/lib/request-path.ts'
import type { Template } from '../../src/model/policy.ts'
import type { RouteTable } from '../../src/model/route-table.ts'
import type { Warning } from '../../src/model/warning.ts'
import type { Decision } from '../../src/router/decision.ts'
import { buildRouter } from '../../src/router/router.ts'

/**
 * Where a request for `url` (`a.example/cart`) goes: the name of a backend, or the status and reason of the answer that
 * Ramjet gives itself, such as `404 no-route`.
 */
export function ask(table: RouteTable, url: string): string {
  const slash = url.indexOf('/')
  const host = parseAuthority(url.slice(0, slash))
  const path = canonicalPath(url.slice(slash))
  if (host === undefined || !path.ok) return '400'
  const bytes = new TextEncoder().encode(host + path.value)
  const decision = buildRouter(table).route({
    bytes,
    hostStart: 0,
    hostEnd: host.length,
    pathStart: host.length,
    pathEnd: bytes.length,
  })
  return textOf(decision)
}

/** `reason kind namespace/name field`, for what matters in most tests. */
export function told(warnings: readonly Warning[]): readonly string[] {
  return warnings.map(({ reason, object: { kind, namespace, name }, field }) =>
    [reason, kind, namespace === '' ? name : `${namespace}/${name}`, field].join(' '),
  )
}

function textOf(decision: Decision): string {
  if (decision.kind === 'respond') return `${statusOf(decision.reason)} ${decision.reason}`
  if (decision.kind === 'https-first') return '308 https'
  if (decision.kind === 'redirect')
    return `${decision.action.status} ${templateText(decision.action.location.template)}`
  const { action } = decision.route
  return action.kind === 'forward' ? action.backends.map(({ backend }) => backend).join(' or ') : 'no answer'
}

/** A template as its author could have written it. */
export function templateText(template: Template): string {
  return template.map((part) => (typeof part === 'number' ? `\${${part}}` : part)).join('')
}

function statusOf(reason: Extract<Decision, { kind: 'respond' }>['reason']): number {
  switch (reason) {
    case 'no-route':
      return 404
    case 'target-too-long':
      return 414
    case 'unresolved-service':
    case 'unsupported-backend':
    case 'external-name':
    case 'access-rule':
      return 503
  }
}
