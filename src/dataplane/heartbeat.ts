// The sign of life of one worker, written from inside it (R70-121).
import type { Clock } from '../lib/clock.ts'
import { LoopDelayRecorder } from './loop-delay.ts'
import type { WorkerBoot } from './worker-protocol.ts'

export interface HeartbeatDeps {
  readonly boot: Pick<WorkerBoot, 'heartbeat' | 'heartbeatMs' | 'loopDelay'>
  readonly clock: Pick<Clock, 'monotonicMs'>
  /** Called with each beat. */
  readonly onBeat: () => void
}

/** Counts up while the event loop turns, and writes down how late it runs. Goes on as long as the thread. */
export function startHeartbeat({ boot, clock, onBeat }: HeartbeatDeps): void {
  const beats = new Int32Array(boot.heartbeat)
  const delays = new LoopDelayRecorder(boot.loopDelay)
  let dueMs = clock.monotonicMs()
  const beat = (): void => {
    Atomics.add(beats, 0, 1)
    const nowMs = clock.monotonicMs()
    delays.record(nowMs - dueMs)
    dueMs = nowMs + boot.heartbeatMs
    onBeat()
  }
  setInterval(beat, boot.heartbeatMs)
  // The first one says that the thread runs: from now on silence is a stall and no slow start.
  beat()
}
