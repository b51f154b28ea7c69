// What the main thread tells of its workers to whoever asks.
import type { LoopDelay } from './loop-delay.ts'
import type { Supervisor } from './supervisor.ts'
import type { WorkerLink } from './worker-link.ts'

export interface WorkerStatus {
  /** 0 and up; a successor has the index of the worker it replaces. */
  readonly index: number
  /** `starting`: no pair yet, or not listening; `dead`: past its restart budget. */
  readonly state: 'starting' | 'serving' | 'restarting' | 'dead'
  /** Number of the generation it serves; 0: none yet. */
  readonly generation: number
  /** 0: none yet. */
  readonly endpointsVersion: number
}

/** How late the event loop of one worker runs. */
export interface WorkerLoopDelay extends LoopDelay {
  /** Its index. */
  readonly worker: number
}

/** Every seat's worker, in order. */
export function workerStatuses(supervisor: Supervisor): readonly WorkerStatus[] {
  const stateOf = (link: WorkerLink): WorkerStatus['state'] => (supervisor.isListening(link) ? 'serving' : 'starting')
  return supervisor.seats().map(({ link, isDead }, index) => {
    const pair = link?.assigned?.pair
    return {
      index,
      state: isDead ? 'dead' : link ? stateOf(link) : 'restarting',
      generation: pair?.generation.number ?? 0,
      endpointsVersion: pair?.endpoints.version ?? 0,
    }
  })
}

/** Of every worker that there is, since the last call (R70-121). */
export function takeLoopDelays(supervisor: Supervisor): readonly WorkerLoopDelay[] {
  return supervisor.seats().flatMap(({ link }, worker) => (link ? [{ worker, ...link.takeLoopDelay() }] : []))
}
