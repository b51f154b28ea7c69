// The thread that runs the inputs, so that another one can tell when it hangs.
import { parentPort, workerData } from 'node:worker_threads'
import { readCorpus } from './corpus.ts'
import { judge } from './judge.ts'
import { chanceFrom, cutsOf, mutated } from './mutate.ts'
import { NodeParser } from './node-parser.ts'

export interface FuzzReport {
  readonly runs: number
  /** How often each listed difference to Node was met. */
  readonly explained: readonly (readonly [name: string, count: number])[]
  readonly fault: { readonly reason: string; readonly input: string } | undefined
}

/** Long inputs say little that short ones do not, and cost as much as hundreds of them. */
const MAX_SEED = 4096

const { seconds, seed, shared } = workerData as { seconds: number; seed: number; shared: SharedArrayBuffer }
const state = new Int32Array(shared, 0, 2)
const bytes = Buffer.from(shared, 8)
const inputs = readCorpus()
const seeds = inputs.filter(({ length }) => length <= MAX_SEED)
const chance = chanceFrom(seed)
const node = new NodeParser()
const explained = new Map<string, number>()
const endMs = performance.now() + seconds * 1000

let runs = 0
let fault: FuzzReport['fault']
while (!fault && (runs < inputs.length || performance.now() < endMs)) {
  // All of the corpus as it is, then changed.
  const input = inputs[runs] ?? mutated(seeds, chance)
  const length = bytes.write(input, 'latin1')
  Atomics.store(state, 1, length)
  Atomics.store(state, 0, runs)
  const reason = await judge(input, cutsOf(input, chance), node, (name) => {
    explained.set(name, (explained.get(name) ?? 0) + 1)
  })
  if (reason !== undefined) fault = { reason, input }
  runs += 1
}
const report: FuzzReport = { runs, explained: [...explained].toSorted(([a], [b]) => (a < b ? -1 : 1)), fault }
parentPort?.postMessage(report)
