// Server names that were settled -> the certificate table, at the cost of what changed.
import {
  type Certificate,
  type CertificateTable,
  certificateKey,
  type ServerName,
  serverNameKey,
} from '../model/certificate-table.ts'
import { changeMap } from './copy-on-change.ts'
import { type MemberIndex, moveMembers } from './member-index.ts'
import type { NameOutcome } from './server-name.ts'

/** The table, and by handle the server names that name it. */
export interface UsedCertificates {
  readonly table: CertificateTable
  readonly users: MemberIndex
}

/** The elements that are others now, as they enter the digest of the whole. */
export interface ElementChanges {
  /** Keys and digests of those that are new or another. */
  readonly set: ReadonlyMap<string, string>
  /** Keys of those that are gone. */
  readonly removed: readonly string[]
}

/** The table with these outcomes; the very same one where none of them is a change. */
export function changeTable(
  last: UsedCertificates,
  changed: ReadonlyMap<string, NameOutcome | undefined>,
): UsedCertificates & ElementChanges {
  const set = new Map<string, string>()
  const removed: string[] = []
  const names: (readonly [string, ServerName | undefined])[] = []
  for (const [host, outcome] of changed) {
    if (last.table.serverNames.get(host) === outcome?.serverName) continue
    names.push([host, outcome?.serverName])
    if (outcome) set.set(serverNameKey(host), outcome.serverName.digest)
    else removed.push(serverNameKey(host))
  }
  if (names.length === 0) return { table: last.table, users: last.users, set, removed }
  const moves = names.map(([member, after]) => {
    const before = last.table.serverNames.get(member)?.certificates ?? []
    return { member, before, after: after?.certificates ?? [] }
  })
  const users = moveMembers(last.users, moves)
  const known = new Map([...changed.values()].flatMap((one) => one?.certificates ?? []).map((one) => [one.handle, one]))
  const certificates: (readonly [string, Certificate | undefined])[] = []
  for (const handle of users.touched) {
    const isNamed = users.index.get(handle) !== undefined
    if (isNamed === last.table.certificates.has(handle)) continue
    certificates.push([handle, isNamed ? known.get(handle) : undefined])
    if (isNamed) set.set(certificateKey(handle), handle)
    else removed.push(certificateKey(handle))
  }
  const table = {
    certificates: changeMap(last.table.certificates, certificates),
    serverNames: changeMap(last.table.serverNames, names),
  }
  return { table, users: users.index, set, removed }
}
