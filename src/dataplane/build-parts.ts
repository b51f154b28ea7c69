// A large build message in parts. A worker reads a message in one piece, in which its requests wait.
import type { Changed, PairDelta } from './delta.ts'
import type { BuildMessage, PartMessage, RowChanges } from './worker-protocol.ts'

/** Elements of each list in one message: those of 10,000 hosts, read at once, took 30 ms. */
const PART_ELEMENTS = 500

/** A build message as it is sent: `parts` one after the other, and `last`. */
export interface SplitBuild {
  readonly parts: readonly PartMessage[]
  readonly last: BuildMessage
}

/** `message` in parts of a size that can be read in passing; most are small and are `last` alone. */
export function splitBuild(message: BuildMessage): SplitBuild {
  const parts: PartMessage[] = []
  let left = longestList(message)
  let from = 0
  for (; left > PART_ELEMENTS; left -= PART_ELEMENTS) {
    parts.push({ ...sliceOf(message, from), kind: 'part', segments: [] })
    from += PART_ELEMENTS
  }
  return { parts, last: from === 0 ? message : sliceOf(message, from) }
}

/** The message that was split into `parts` and `last`. */
export function joinBuild(parts: readonly PartMessage[], last: BuildMessage): BuildMessage {
  if (parts.length === 0) return last
  const all = [...parts, last]
  const deltas = all.map(({ delta }) => delta)
  return {
    ...last,
    delta: {
      ...last.delta,
      hosts: joinChanged(deltas.map(({ hosts }) => hosts)),
      backends: joinChanged(deltas.map(({ backends }) => backends)),
      endpoints: joinChanged(deltas.map(({ endpoints }) => endpoints)),
      certificates: joinChanged(deltas.map(({ certificates }) => certificates)),
      serverNames: joinChanged(deltas.map(({ serverNames }) => serverNames)),
    },
    routeRows: joinRows(all.map(({ routeRows }) => routeRows)),
    endpointRows: joinRows(all.map(({ endpointRows }) => endpointRows)),
  }
}

function longestList({ delta, routeRows, endpointRows }: BuildMessage): number {
  const { hosts, backends, endpoints, certificates, serverNames } = delta
  const changed = [hosts, backends, endpoints, certificates, serverNames]
  const rows = [routeRows, endpointRows]
  return Math.max(
    ...changed.flatMap(({ set, removed }) => [set.length, removed.length]),
    ...rows.flatMap(({ freed, set }) => [freed.length, set.length]),
  )
}

function sliceOf(message: BuildMessage, from: number): BuildMessage {
  const { delta, routeRows, endpointRows } = message
  return {
    ...message,
    delta: sliceOfDelta(delta, from),
    routeRows: sliceOfRows(routeRows, from),
    endpointRows: sliceOfRows(endpointRows, from),
  }
}

function sliceOfDelta(delta: PairDelta, from: number): PairDelta {
  return {
    ...delta,
    hosts: sliceOfChanged(delta.hosts, from),
    backends: sliceOfChanged(delta.backends, from),
    endpoints: sliceOfChanged(delta.endpoints, from),
    certificates: sliceOfChanged(delta.certificates, from),
    serverNames: sliceOfChanged(delta.serverNames, from),
  }
}

function sliceOfChanged<T>({ set, removed }: Changed<T>, from: number): Changed<T> {
  return { set: slice(set, from), removed: slice(removed, from) }
}

function sliceOfRows({ freed, set }: RowChanges, from: number): RowChanges {
  return { freed: slice(freed, from), set: slice(set, from) }
}

function slice<T>(list: readonly T[], from: number): readonly T[] {
  return list.slice(from, from + PART_ELEMENTS)
}

function joinChanged<T>(all: readonly Changed<T>[]): Changed<T> {
  return { set: all.flatMap(({ set }) => set), removed: all.flatMap(({ removed }) => removed) }
}

function joinRows(all: readonly RowChanges[]): RowChanges {
  return { freed: all.flatMap(({ freed }) => freed), set: all.flatMap(({ set }) => set) }
}
