// What a benchmark is: a name, and a run that gives tables for people and raw figures for whoever checks them.
import type { Verdict } from './paired-ratio.ts'
import { limitText, threeFigures } from './statistics.ts'

export interface Bench {
  readonly name: string
  /** One line that says what is measured. */
  readonly about: string
  /** `cluster`: it runs inside the namespace of the test cluster. */
  readonly needs: 'nothing' | 'cluster'
  /** Programs that it cannot run without; `hack/install-peers.sh` installs them. */
  readonly programs?: readonly string[]
  run(options: BenchOptions): Promise<BenchOutcome>
}

export interface BenchOptions {
  /** A short run that shows that everything works; its figures mean nothing. */
  readonly smoke: boolean
  /** Names of the peers to measure beside us; empty: every one that is installed. */
  readonly against: readonly string[]
  /** Tells a person what is being done. */
  readonly progress: (line: string) => void
}

export interface BenchOutcome {
  readonly goals: readonly Goal[]
  readonly tables: readonly FigureTable[]
  /** Every single figure, by name of what was measured. */
  readonly raw: Readonly<Record<string, readonly number[]>>
}

export interface FigureTable {
  readonly title: string
  readonly heads: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** What a figure should be, and what it was. */
export interface Goal {
  /** The rule that sets it. */
  readonly rule: string
  readonly what: string
  readonly atMost: number
  readonly measured: number
  /** Empty where something is counted. */
  readonly unit: string
  /** Where the figure alone does not decide, as with a ratio (R60-4). */
  readonly verdict?: Verdict
}

/** `one match among 10 routes: 137 ns, at most 300 ns (R60-34)`. */
export function goalText(goal: Goal): string {
  const { what, measured, atMost, unit, rule } = goal
  const figure = unit === '' ? limitText(measured) : `${threeFigures(measured)} ${unit}`
  return `${what}: ${figure}, at most ${`${limitText(atMost)} ${unit}`.trimEnd()} (${rule})`
}

/** Whether the figure is as it should be. */
export function verdictOn({ measured, atMost, verdict }: Goal): Verdict {
  return verdict ?? (measured <= atMost ? 'holds' : 'fails')
}
