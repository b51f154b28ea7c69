// npm run fuzz -- [--seconds N] [--seed N]: random input for every parser of bytes, judged by slow second parsers and by
// Node's own. A disagreement, a throw or an input that does not end fails, and is kept in the corpus (R71-16).
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { CORPUS } from './corpus.ts'
import type { FuzzReport } from './fuzz-worker.ts'

/** One input takes well below a millisecond. Looks are counted: a machine that stands still takes none. */
const HANGS_LOOKS = 20
const LOOK_MS = 1000
const MAX_SHOWN = 2000
const MAX_SHARED = 256 * 1024

const { values } = parseArgs({ options: { seconds: { type: 'string' }, seed: { type: 'string' } } })
const seconds = Number(values.seconds ?? 60)
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
if (!(seconds > 0) || !Number.isInteger(seed))
  throw new RangeError('--seconds wants a number above 0, --seed an integer')

/** The number of the input that runs, its length, and its bytes: to be read when nothing else answers. */
const shared = new SharedArrayBuffer(8 + MAX_SHARED)
const state = new Int32Array(shared, 0, 2)
say(`fuzz: ${seconds} s with seed ${seed}`)
const worker = new Worker(new URL('./fuzz-worker.ts', import.meta.url), { workerData: { seconds, seed, shared } })
worker.on('message', (report: FuzzReport) => finish(report))
worker.on('error', (error) => fail(`it threw: ${error instanceof Error ? error.stack : String(error)}`, current()))

let last = -1
let looksInVain = 0
const watch = setInterval(() => {
  const now = Atomics.load(state, 0)
  looksInVain = now === last ? looksInVain + 1 : 0
  if (looksInVain >= HANGS_LOOKS) fail(`it did not end within ${HANGS_LOOKS} s`, current())
  last = now
}, LOOK_MS)

function current(): string {
  return Buffer.from(shared, 8, Atomics.load(state, 1)).toString('latin1')
}

function finish({ runs, explained, fault }: FuzzReport): void {
  clearInterval(watch)
  for (const [name, count] of explained) say(`  differs from Node: ${name} ${count}`)
  say(`fuzz: ${runs} inputs, ${fault ? 'one that fails' : 'nothing found'}`)
  if (fault) fail(fault.reason, fault.input)
}

function fail(reason: string, input: string): void {
  const name = `found-${createHash('sha256').update(input, 'latin1').digest('hex').slice(0, 12)}`
  writeFileSync(join(CORPUS, name), input, 'latin1')
  say(
    `fuzz: ${reason}\n  input ${JSON.stringify(input.slice(0, MAX_SHOWN))}\n  kept as test/fuzz/corpus/${name}, seed ${seed}`,
  )
  process.exit(1)
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
