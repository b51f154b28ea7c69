// Whether a run was good: nothing wrong, nothing lost, and everything that could grow is level.
import type { ProductFigures } from './product.ts'

/** One line of the table. */
export interface Sample extends ProductFigures {
  readonly minutes: number
  readonly answered: number
  readonly wrong: number
  readonly lost: number
}

const MIB = 1024 * 1024

/** What may differ between a sample after the warm-up and those at the end. */
export interface Tolerance {
  readonly rssBytes: number
  readonly liveHeapBytes: number
  /** Sockets follow the traffic. */
  readonly sockets: number
  /** Other descriptors, and handles and timers: some are open only while something is under way. */
  readonly handles: number
}

/**
 * What is wrong with a run; empty: nothing. `warm` is the first sample after the warm-up, `ending` are the newest ones and
 * not empty. What comes and goes with the traffic is level where it is low in one of them: what leaks never falls.
 */
export function faultsOf(warm: Sample, ending: readonly Sample[], tolerance: Tolerance): readonly string[] {
  const faults: string[] = []
  const last = ending.at(-1) ?? warm
  const lowest = (figureOf: (sample: Sample) => number): number => Math.min(...ending.map(figureOf))
  const level = (what: string, before: number, after: number, allowed: number): void => {
    if (after - before > allowed) faults.push(`${what} grew from ${before} to ${after}`)
  }
  if (last.wrong > 0) faults.push(`${last.wrong} wrong answers`)
  if (last.lost > 0) faults.push(`${last.lost} lost requests`)
  level('resident MiB', mib(warm.rssBytes), mib(last.rssBytes), tolerance.rssBytes / MIB)
  level('live heap MiB', mib(liveHeapOf(warm)), mib(liveHeapOf(last)), tolerance.liveHeapBytes / MIB)
  level(
    'sockets',
    warm.sockets,
    lowest(({ sockets }) => sockets),
    tolerance.sockets,
  )
  level('other descriptors', others(warm), lowest(others), tolerance.handles)
  level('other handles and timers', handlesOf(warm), lowest(handlesOf), tolerance.handles)
  // Rows are given again, so the highest is that of the busiest moment and not that of all edits together.
  level('highest row', highestRow(warm), highestRow(last), highestRow(warm))
  const isSilent = ({ probes }: Sample): boolean => probes.length !== warm.probes.length || probes.length === 0
  if (ending.some(isSilent)) faults.push('a thread tells nothing')
  return faults
}

/** Handles and timers of all threads that are no connections. */
export function handlesOf({ probes }: ProductFigures): number {
  return sum(
    probes.map(({ resources }) =>
      sum(Object.entries(resources).map(([kind, count]) => (TRAFFIC.has(kind) ? 0 : count))),
    ),
  )
}

/** What is live on the heaps of all threads. */
export function liveHeapOf({ probes }: ProductFigures): number {
  return sum(probes.map(({ liveHeapBytes }) => liveHeapBytes))
}

export function rowsOf({ probes }: ProductFigures): number {
  return Math.max(0, ...probes.map(({ rows }) => rows))
}

export function mib(bytes: number): number {
  return Math.round(bytes / MIB)
}

const TRAFFIC: ReadonlySet<string> = new Set([
  'TCPSocketWrap',
  'Immediate',
  'ConnectWrap',
  'TCPConnectWrap',
  'WriteWrap',
  'ShutdownWrap',
  'FSReqPromise',
  'FSReqCallback',
])

function highestRow({ probes }: ProductFigures): number {
  return Math.max(0, ...probes.map((probe) => probe.highestRow))
}

function others({ descriptors, sockets }: ProductFigures): number {
  return descriptors - sockets
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
