import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { LogOutput } from '../../src/observability/log-output.ts'
import { eventually } from '../fakes/clock.ts'

describe('LogOutput', () => {
  let dir = ''
  let file = ''
  let fd = 0

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'ramjet-log-'))
    file = join(dir, 'log')
    fd = openSync(file, 'w')
  })

  afterEach(() => {
    closeSync(fd)
    rmSync(dir, { recursive: true })
  })

  it('writes what begins it before what was logged until then (R20-24)', () => {
    const output = new LogOutput(unexpected, fd)
    output.write('early\n')
    output.begin(() => output.write('banner\n'))
    output.write('late\n')
    output.flush()
    expect(readFileSync(file, 'utf8')).to.equal('banner\nearly\nlate\n')
  })

  it('loses nothing when the process ends before it has begun', () => {
    const output = new LogOutput(unexpected, fd)
    output.write('early\n')
    output.flush()
    expect(readFileSync(file, 'utf8')).to.equal('early\n')
  })

  it('writes what comes while it writes, without waiting for a further line', async () => {
    const output = new LogOutput(unexpected, fd)
    const long = `${'x'.repeat(7 * 1024 * 1024)}\n`
    output.begin(() => output.write(long))
    output.write('second\n')
    await eventually(() => statSync(file).size === long.length + 'second\n'.length)
    expect(readFileSync(file, 'utf8').endsWith('x\nsecond\n')).to.equal(true)
  })

  describe('of which more waits than may', () => {
    /** Of them eight may wait. */
    const LINES = Array.from({ length: 10 }, (_none, at) => `${String(at).repeat(1024 * 1024 - 1)}\n`)
    const TOLD = '2 lines were dropped\n'

    function overfull(): LogOutput {
      const output: LogOutput = new LogOutput((lines) => output.write(`${lines} lines were dropped\n`), fd)
      output.begin(() => {
        for (const line of LINES) output.write(line)
      })
      return output
    }

    function expectKept(): void {
      expect(readFileSync(file, 'utf8') === LINES.slice(0, 8).join('') + TOLD).to.equal(true)
    }

    it('tells as soon as there is room how many lines it dropped (R70-5)', async () => {
      overfull()
      await eventually(() => statSync(file).size === 8 * 1024 * 1024 + TOLD.length)
      expectKept()
    })

    it('tells the same when the process ends before', () => {
      overfull().flush()
      expectKept()
    })
  })
})

function unexpected(lines: number): void {
  expect.fail(`${lines} lines were dropped`)
}
