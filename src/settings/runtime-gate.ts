// The oldest Node that may run this (R70-120).

/** By major: the first release with the security fixes of June 2026. Majors between them get no fixes any more. */
const FLOORS: ReadonlyMap<number, readonly [minor: number, patch: number]> = new Map([
  [24, [17, 0]],
  [26, [3, 1]],
])
const NEWEST_FLOOR = 26

/** What to change about the runtime, as one line; `undefined`: it will do. `version` is `process.versions.node`. */
export function runtimeFault(version: string): string | undefined {
  const [major = 0, minor = 0, patch = 0] = version.split(/[.-]/).map(Number)
  if (major > NEWEST_FLOOR) return undefined
  const floor = FLOORS.get(major)
  const isEnough = floor !== undefined && (minor > floor[0] || (minor === floor[0] && patch >= floor[1]))
  if (isEnough) return undefined
  const allowed = [...FLOORS].map(([line, [least, fix]]) => `${line}.${least}.${fix}`).join(', ')
  return `Node ${version} lacks known security fixes; run one of ${allowed}, a later release of those lines, or a newer line`
}
