// Metrics of the workers as threads.
import { counter, gauge, labelled, type Row, sample } from './metric-series.ts'
import type { LoopDelayFigures } from './metric-sources.ts'
import type { Sample } from './metrics-text.ts'

export const WORKERS: readonly Row[] = [
  counter(
    'ramjet_worker_restarts_total',
    'Workers replaced',
    labelled('reason', ({ workerRestarts }) => Object.entries(workerRestarts)),
  ),
  gauge('ramjet_event_loop_delay_seconds', 'How much later than asked timers of a worker ran since the last scrape', {
    labels: ['worker', 'stat'],
    read: ({ loopDelays }) => loopDelays.flatMap(loopDelaySamples),
  }),
]

function loopDelaySamples({ worker, p50, p99, max }: LoopDelayFigures): readonly Sample[] {
  const stats = { p50, p99, max }
  return Object.entries(stats).map(([stat, value]) =>
    sample(
      [
        ['worker', String(worker)],
        ['stat', stat],
      ],
      value,
    ),
  )
}
