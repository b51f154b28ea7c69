// The table of probes: each row over raw sockets, whole, behind a good request, and cut in two (R71-1, R71-5).
import { expect } from 'chai'
import type { EngineFactory } from '../../src/dataplane/engine.ts'
import { describeFault, faultInAnswers, type Outcome, type Shape, sendProbe, shapesOf } from './probe.ts'
import { WireBench } from './wire-bench.ts'
import type { WantedOutcome, WireRow } from './wire-row.ts'

/** What an engine cannot do as a row wants it (R20-182), by the id of the row. */
export interface EngineException {
  readonly name: string
  readonly reason: string
  readonly row: string
  /** The shapes in which it shows. */
  readonly shows: 'cut' | 'always'
  /** What comes of it then; the rest is as the row says. */
  readonly instead: Partial<WantedOutcome>
}

/** Probes that are under way at a time. */
const AT_ONCE = 48

/** Sends every row to an engine; what it must not pass is on `exceptions`, and each entry there must be needed. */
export function wireTable(
  makeEngine: EngineFactory,
  sections: ReadonlyMap<string, readonly WireRow[]>,
  exceptions: readonly EngineException[],
): void {
  for (const [section, rows] of sections) {
    describe(section, () => {
      for (const row of rows) {
        it(titleOf(row), async () => {
          const results = await resultsOf(makeEngine, row, exceptions)
          const faults = results.flatMap(({ outcome }) => describeFault(outcome) ?? [])
          expect(faults.slice(0, 3).join('\n'), `${faults.length} of ${results.length} shapes`).to.equal('')
        })
      }
    })
  }

  describe('exceptions', () => {
    for (const exception of exceptions) {
      it(`${exception.name} (${exception.row}) is still needed: ${exception.reason}`, async () => {
        const row = [...sections.values()].flat().find(({ id }) => id === exception.row)
        if (!row) throw new Error(`no row ${exception.row}`)
        const results = await resultsOf(makeEngine, row, [exception])
        expect(results.filter((result) => result.excuse)).to.not.have.length(0)
      })
    }
  })
}

/** All probes of a bench have one clock and one pool of connections to the origin. */
function lanesOf({ pace, shapes }: WireRow): number {
  return pace || shapes === 'apart' ? 1 : AT_ONCE
}

function titleOf({ number, id, answers, ending }: WireRow): string {
  const name = number === undefined ? id : `71 #${number} ${id}`
  return `${name}: ${answers.join(', then ')}${ending === 'open' ? '' : `, ${ending}`}`
}

interface Result {
  readonly outcome: Outcome
  /** The exception that the outcome is judged by. */
  readonly excuse: EngineException | undefined
}

/** What comes of a row in all its shapes. */
async function resultsOf(
  makeEngine: EngineFactory,
  row: WireRow,
  exceptions: readonly EngineException[],
): Promise<readonly Result[]> {
  const bench = await WireBench.start(makeEngine, row.settings)
  try {
    const results = await inParallel(shapesOf(row), lanesOf(row), (shape) =>
      resultOf(bench, { row, shape }, exceptions),
    )
    expect(await bench.quiet(), 'nothing is left in flight').to.equal(true)
    expect(bench.origin.faults, 'what the origin cannot read').to.deep.equal([])
    return results
  } finally {
    bench.stop()
  }
}

/** Sends a row as what it is excused for first: what is wanted decides how long to wait, and for what. */
async function resultOf(
  bench: WireBench,
  { row, shape }: { readonly row: WireRow; readonly shape: Shape },
  exceptions: readonly EngineException[],
): Promise<Result> {
  for (const excuse of exceptions) {
    if (excuse.row !== row.id || (excuse.shows === 'cut' && !shape.isCut)) continue
    const outcome = await sendProbe(bench, { ...row, ...excuse.instead }, shape)
    if (faultInAnswers(outcome) === undefined) return { outcome, excuse }
  }
  return { outcome: await sendProbe(bench, row, shape), excuse: undefined }
}

async function inParallel(
  shapes: readonly Shape[],
  lanes: number,
  run: (shape: Shape) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = []
  const left = shapes.values()
  const lane = async (): Promise<void> => {
    for (const shape of left) results.push(await run(shape))
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return results
}
