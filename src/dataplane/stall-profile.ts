// Where a thread is whose event loop does not turn (R70-121). V8 samples it from outside, in a loop of JavaScript too; in
// native code it cannot be asked.
import { basename } from 'node:path'
import type { Worker } from 'node:worker_threads'
import type { Timers } from '../lib/timers.ts'

/** How long it is watched. */
const WATCHED_MS = 200
/** Callers that are told beside the function itself. */
const MAX_FRAMES = 10

/** How long an answer is waited for at most: a thread in native code gives none. */
export interface Patience {
  readonly ms: number
  readonly timers: Timers
}

/**
 * The stack that `thread` was seen in most often, innermost function first: `FUNCTION FILE:LINE`. Empty where nothing can
 * be had in time.
 */
export function stackOfStalled(
  thread: Pick<Worker, 'startCpuProfile'>,
  { ms, timers }: Patience,
): Promise<readonly string[]> {
  return new Promise((resolve) => {
    const cancel = timers.after(ms, () => resolve([]))
    const end = (stack: readonly string[]): void => {
      cancel()
      resolve(stack)
    }
    watch(thread, timers).then(end, () => end([]))
  })
}

async function watch(thread: Pick<Worker, 'startCpuProfile'>, timers: Timers): Promise<readonly string[]> {
  const handle = await thread.startCpuProfile()
  await new Promise<void>((resolve) => {
    timers.after(WATCHED_MS, resolve)
  })
  const profile: unknown = JSON.parse(await handle.stop())
  return hottestStack(profile)
}

/** One function as one place of the tree of calls. Source: `Profiler.Profile` of the DevTools protocol. */
interface ProfileNode {
  readonly id: number
  readonly hitCount: number
  readonly children?: readonly number[]
  /** Lines count from 0. */
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
}

/** The calls that lead to the function with most samples in a CPU profile, that function first. */
export function hottestStack(profile: unknown): readonly string[] {
  const nodes = nodesOf(profile)
  const hottest = nodes.toSorted((a, b) => b.hitCount - a.hitCount)[0]
  const callers = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node] as const)))
  const stack: string[] = []
  for (let node = hottest; node && stack.length <= MAX_FRAMES; node = callers.get(node.id)) {
    // The root has no caller, and is none.
    if (callers.has(node.id)) stack.push(frameText(node))
  }
  return stack
}

function nodesOf(profile: unknown): readonly ProfileNode[] {
  const hasNodes = typeof profile === 'object' && profile !== null && 'nodes' in profile
  return hasNodes && Array.isArray(profile.nodes) ? profile.nodes : []
}

function frameText({ callFrame: { functionName, url, lineNumber } }: ProfileNode): string {
  const name = functionName === '' ? '(anonymous)' : functionName
  return url === '' ? name : `${name} ${basename(url)}:${lineNumber + 1}`
}
