// What the last replica does before it goes (R30-38).
import type { Timers } from '../lib/timers.ts'
import type { Logger } from '../observability/log.ts'
import { waitFor } from '../runtime/wait.ts'
import type { OwnPods } from './own-pods.ts'
import type { Tenure } from './tenure.ts'

/** How long clearing may take: no more than a pod has between its drain and its end. */
const CLEAR_MS = 5000
const LOOK_MS = 50

/** Whether no pod but the one of address `podIp` is ready. Where that cannot be known it is not, and the log says so. */
export function isLastReplica(pods: OwnPods | undefined, podIp: string | undefined, log: Logger): boolean {
  const all = pods?.all()
  if (all) return all.every(({ addresses }) => podIp !== undefined && addresses.includes(podIp))
  log.warn({}, 'whether this is the last replica is not known, so addresses stay')
  return false
}

/** Resolves when everything was cleared that can be, or its time is up. */
export async function clearing(
  tenure: Pick<Tenure, 'isIdle'>,
  { timers, log }: { readonly timers: Timers; readonly log: Logger },
): Promise<void> {
  const never = new AbortController().signal
  for (let leftMs = CLEAR_MS; leftMs > 0 && !tenure.isIdle; leftMs -= LOOK_MS) await waitFor(LOOK_MS, timers, never)
  if (!tenure.isIdle) log.warn({}, 'there was no time to clear every address')
}
