import type { FigureTable, Goal } from '../bench.ts'

/** How much of everything one run measures. */
export interface RouteSize {
  readonly routes: readonly number[]
  /** Patterns on one host. */
  readonly patterns: readonly number[]
  /** Rounds over all prepared requests. */
  readonly rounds: number
  /** Changes of one route. */
  readonly edits: number
  readonly workers: readonly number[]
}

/** One table, the figures behind it, and what they should be. */
export interface Section {
  readonly table: FigureTable
  readonly goals: readonly Goal[]
  readonly raw: Readonly<Record<string, readonly number[]>>
}
