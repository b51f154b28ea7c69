// What a benchmark started ends with it, by whatever it is ended.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { ProcessTree } from '../../bench/contenders/process-tree.ts'

const ROOT = join(import.meta.dirname, '../..')
const PATIENCE_MS = 60_000

interface Way {
  readonly how: string
  readonly work: string
  readonly signal?: NodeJS.Signals
  readonly end: readonly [code: number | null, signal: NodeJS.Signals | null]
}

const FOREVER = 'await new Promise((resolve) => setTimeout(resolve, 600_000))'
const WAYS: readonly Way[] = [
  { how: 'its work is done', work: '', end: [0, null] },
  { how: 'its work throws', work: "throw new Error('planted')", end: [1, null] },
  {
    how: 'nobody catches an error',
    work: `queueMicrotask(() => { throw new Error('planted') }); ${FOREVER}`,
    end: [1, null],
  },
  { how: 'SIGINT ends it', work: FOREVER, signal: 'SIGINT', end: [null, 'SIGINT'] },
  { how: 'SIGTERM ends it', work: FOREVER, signal: 'SIGTERM', end: [null, 'SIGTERM'] },
  { how: 'SIGHUP ends it', work: FOREVER, signal: 'SIGHUP', end: [null, 'SIGHUP'] },
]

/** Starts a shell in a session of its own with a program behind it, says which they are, and does `work`. */
function scriptOf(work: string): string {
  return `
    import { spawn } from 'node:child_process'
    import { once } from 'node:events'
    import { mkdtempSync } from 'node:fs'
    import { tmpdir } from 'node:os'
    import { join } from 'node:path'
    import { withoutLeftovers } from ${JSON.stringify(join(ROOT, 'bench/leftovers.ts'))}
    await withoutLeftovers(async () => {
      const shell = spawn('sh', ['-c', 'sleep 600 & echo $!; wait'], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] })
      const [inner] = await once(shell.stdout, 'data')
      const folder = mkdtempSync(join(tmpdir(), 'contender-'))
      console.log(JSON.stringify({ started: [shell.pid, Number(inner)], folder }))
      ${work}
    })`
}

describe('what a benchmark started', () => {
  let bench: ChildProcess | undefined
  afterEach(() => bench?.kill('SIGKILL'))

  for (const { how, work, signal, end } of WAYS) {
    it(`ends when ${how}, and its temporary files go`, async function () {
      this.timeout(PATIENCE_MS)
      bench = spawn(process.execPath, ['--input-type=module', '-e', scriptOf(work)], {
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      const ended = once(bench, 'exit')
      const told = JSON.parse(await printed(bench.stdout, '\n')) as { started: readonly number[]; folder: string }
      if (signal) bench.kill(signal)
      expect(await ended).to.deep.equal(end)
      await untilGone(told.started)
      expect(existsSync(told.folder)).to.equal(false)
    })
  }

  it('ends with it when SIGTERM comes among contenders that serve (R60-2)', async function () {
    this.timeout(2 * PATIENCE_MS)
    bench = spawn(process.execPath, [join(ROOT, 'bench/run.ts'), 'tunnel', '--smoke'], {
      stdio: 'ignore',
    })
    const ended = once(bench, 'exit')
    const tree = new ProcessTree(bench.pid ?? 0)
    // The upstream, and a contender before it.
    while (tree.pids().length < 3) {
      expect(bench.exitCode, 'what the benchmark ended with by itself').to.equal(null)
      await sleep(20)
    }
    const [, ...started] = tree.pids()
    bench.kill('SIGTERM')
    expect(await ended).to.deep.equal([null, 'SIGTERM'])
    await untilGone(started)
  })
})

/** What a stream gives until it has given `wanted`; rejects where it ends before. */
async function printed(stream: ChildProcess['stdout'], wanted: string): Promise<string> {
  let text = ''
  // It stays open: whoever writes on must not be ended by that.
  for await (const piece of stream?.iterator({ destroyOnReturn: false }) ?? []) {
    text += String(piece)
    if (text.includes(wanted)) return text
  }
  throw new Error(`it ended before it printed ${wanted}: ${text}`)
}

/** Resolves when none of them runs any more; the test's own limit ends the waiting. */
async function untilGone(pids: readonly number[]): Promise<void> {
  while (pids.some(isRunning)) await sleep(20)
}

// One that has ended may stay in the table of processes for as long as nobody asks how.
function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
