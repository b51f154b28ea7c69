// What a benchmark is: a name, and a run that gives tables for people and raw figures for whoever checks them.

export interface Bench {
  readonly name: string
  /** One line that says what is measured. */
  readonly about: string
  /** `cluster`: it runs inside the namespace of the test cluster. */
  readonly needs: 'nothing' | 'cluster'
  run(options: BenchOptions): Promise<BenchOutcome>
}

export interface BenchOptions {
  /** A short run that shows that everything works; its figures mean nothing. */
  readonly smoke: boolean
  /** Tells a person what is being done. */
  readonly progress: (line: string) => void
}

export interface BenchOutcome {
  readonly tables: readonly FigureTable[]
  /** Every single figure, by name of what was measured. */
  readonly raw: Readonly<Record<string, readonly number[]>>
}

export interface FigureTable {
  readonly title: string
  readonly heads: readonly string[]
  readonly rows: readonly (readonly string[])[]
}
