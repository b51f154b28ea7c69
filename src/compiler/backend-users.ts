// Who sends requests to a backend: a backend is in the table as long as somebody does.
import type { DefaultState } from './default-route.ts'
import type { HostChange } from './host-table.ts'
import { type MemberIndex, moveMembers } from './member-index.ts'
import type { BackendUse } from './routing.ts'

/** By name of the backend: the hosts with routes to it, and `DEFAULT_USER` for the default route. */
export type BackendUsers = MemberIndex

export interface ChangedUsers {
  readonly users: BackendUsers
  /** The backends that somebody began or ceased to use. */
  readonly moved: ReadonlySet<string>
  /** All backends of everybody who changed: others may be told of their endpoints now. */
  readonly concerned: ReadonlySet<string>
}

/** No host has this name. */
export const DEFAULT_USER = ''

/** The users after these changes. */
export function changeUsers(
  last: BackendUsers,
  changes: readonly HostChange[],
  defaults: { readonly before: DefaultState; readonly after: DefaultState },
): ChangedUsers {
  const ofHosts = changes.map(({ host, before, after }) => ({
    member: host,
    before: backendsOf(before?.uses),
    after: backendsOf(after?.uses),
  }))
  const { before, after } = defaults
  const ofDefault = { member: DEFAULT_USER, before: backendsOf(before.uses), after: backendsOf(after.uses) }
  const moves = [...ofHosts, ofDefault]
  const { index, touched } = moveMembers(last, moves)
  const concerned = new Set(moves.flatMap((move) => [...move.before, ...move.after]))
  return { users: index, moved: touched, concerned }
}

function backendsOf(uses: readonly BackendUse[] = []): readonly string[] {
  return uses.map(({ backend }) => backend)
}
