// All contenders stay up; slots rotate between them in a new order each round, each between two calibrations (R60-2).
import { setTimeout as delay } from 'node:timers/promises'
import type { Contender, Running } from '../contenders/contender.ts'
import { startContender } from '../contenders/start.ts'
import type { Slot } from '../paired-ratio.ts'
import { busySecondsBeside } from '../surroundings.ts'
import { type Calibrator, startCalibrator } from './calibrator.ts'
import type { Latency } from './latency.ts'
import { countsOf, expectBalance } from './own-counters.ts'

export interface InterleavedPlan {
  readonly contenders: readonly Contender[]
  readonly upstream: string
  /** The CPU that contenders, load and upstream share (R60-5). */
  readonly core: number
  readonly rounds: number
  readonly warmUpSeconds: number
  readonly coolDownMs: number
  /**
   * How many requests are under way at once, where a unit is a request: contenders of ours must then have counted what
   * the load did, give or take those that are cut off when it ends (R60-10).
   */
  readonly atOnce?: number | undefined
  readonly progress: (line: string) => void
}

/** What is done with a contender in one slot; it gives how much work that was. */
export type Work = (running: Running, seconds: number | undefined) => Promise<WorkReport>

export interface WorkReport extends Latency {
  /** Requests, or whatever the CPU time is divided by. */
  readonly units: number
  readonly perSecond: number
  readonly faults: number
}

/** One slot with all that was seen in it; `figure` is CPU microseconds of the contender per unit. */
export interface MeasuredSlot extends Slot, WorkReport {}

/** Runs every contender through the same work, interleaved. Throws where one did nothing in a slot, or something wrong (R60-6). */
export async function runInterleaved(plan: InterleavedPlan, work: Work): Promise<readonly MeasuredSlot[]> {
  const calibrator = await startCalibrator(plan.core)
  const running: Running[] = []
  try {
    for (const contender of plan.contenders) running.push(await startContender(contender, plan.upstream, plan.core))
    const counted = plan.atOnce === undefined ? [] : await countsOf(running)
    const warmUps = new Map<string, number>()
    for (const one of running) {
      plan.progress(`warming up ${one.name}`)
      warmUps.set(one.name, served(one, await work(one, plan.warmUpSeconds)).units)
    }
    await delay(plan.coolDownMs)
    const slots = await runRounds(plan, { core: plan.core, running, calibrator, work })
    for (const one of counted) {
      const { name } = one.running
      const units = slots.filter(({ contender }) => contender === name).map((slot) => slot.units)
      const requests = units.reduce((sum, more) => sum + more, warmUps.get(name) ?? 0)
      await expectBalance(one, { requests, cutAtMost: (plan.atOnce ?? 0) * (units.length + 1) })
    }
    return slots
  } finally {
    calibrator.stop()
    for (const one of running) await one.stop()
  }
}

interface Parts {
  readonly core: number
  readonly running: readonly Running[]
  readonly calibrator: Calibrator
  readonly work: Work
}

async function runRounds(plan: InterleavedPlan, parts: Parts): Promise<readonly MeasuredSlot[]> {
  const slots: MeasuredSlot[] = []
  for (let round = 0; round < plan.rounds; round += 1) {
    const first = round % parts.running.length
    for (const one of [...parts.running.slice(first), ...parts.running.slice(0, first)]) {
      slots.push(await measureSlot(one, round, parts))
    }
    plan.progress(`round ${round + 1} of ${plan.rounds}`)
  }
  return slots
}

async function measureSlot(one: Running, round: number, { core, calibrator, work }: Parts): Promise<MeasuredSlot> {
  const before = await calibrator.measure()
  const foreign = foreignWatch(core)
  const cpuNs = one.tree.cpuNs()
  const report = served(one, await work(one, undefined))
  const spentNs = one.tree.cpuNs() - cpuNs
  const foreignCores = foreign()
  const after = await calibrator.measure()
  return {
    ...report,
    contender: one.name,
    round,
    figure: spentNs / 1000 / report.units,
    calibration: Math.max(before, after),
    foreignCores,
  }
}

function served({ name }: Running, report: WorkReport): WorkReport {
  if (report.units === 0) throw new Error(`${name} answered nothing in a slot`)
  if (report.faults > 0) throw new Error(`${name} had ${report.faults} faults in a slot`)
  return report
}

// Contenders, load and upstream are pinned to the one CPU of the run: foreign is what all the others did.
function foreignWatch(core: number): () => number {
  const startMs = performance.now()
  const busy = busySecondsBeside(core)
  return () => (busySecondsBeside(core) - busy) / ((performance.now() - startMs) / 1000)
}
