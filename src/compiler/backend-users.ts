// Who sends requests to a backend: a backend is in the table as long as somebody does.
import type { DefaultState } from './default-route.ts'
import type { HostChange } from './host-table.ts'
import { type MemberIndex, moveMembers } from './member-index.ts'
import type { BackendUse } from './routing.ts'

/** By name of the backend: the hosts with routes to it, and `DEFAULT_USER` for the default route. */
export type BackendUsers = MemberIndex

/** No host has this name. */
export const DEFAULT_USER = ''

/** The users after these changes, and the backends of everybody who changed, before and after. */
export function changeUsers(
  last: BackendUsers,
  changes: readonly HostChange[],
  defaults: { readonly before: DefaultState; readonly after: DefaultState },
): { readonly users: BackendUsers; readonly touched: ReadonlySet<string> } {
  const ofHosts = changes.map(({ host, before, after }) => ({
    member: host,
    before: backendsOf(before?.uses),
    after: backendsOf(after?.uses),
  }))
  const { before, after } = defaults
  const ofDefault = { member: DEFAULT_USER, before: backendsOf(before.uses), after: backendsOf(after.uses) }
  const { index, touched } = moveMembers(last, [...ofHosts, ofDefault])
  return { users: index, touched }
}

function backendsOf(uses: readonly BackendUse[] = []): readonly string[] {
  return uses.map(({ backend }) => backend)
}
