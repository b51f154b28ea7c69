import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { formatConfigFault } from '../../src/manifests/config-faults.ts'
import type { OperatorConfig } from '../../src/manifests/operator-config.ts'
import { OperatorConfigError, OperatorConfigWatch } from '../../src/manifests/operator-config-watch.ts'
import { eventually, FakeClock } from '../fakes/clock.ts'

const POLL_MS = 10_000
const timeout = (text: string): string => `defaults: {timeout: ${text}}\n`

class Fixture {
  readonly clock = new FakeClock()
  /** Timeouts of the good readings that were told, and the lines of the others. */
  readonly told: (number | undefined | readonly string[])[] = []
  readonly watch: OperatorConfigWatch

  constructor(path: string) {
    this.watch = new OperatorConfigWatch(path, {
      pollMs: POLL_MS,
      lookUp: () => undefined,
      clock: this.clock,
      timers: this.clock,
      onConfig: (config) => this.told.push(timeoutOf(config)),
      onFaults: (faults) => this.told.push(faults.map(formatConfigFault)),
    })
  }

  /** Lets the watch look at the files, and gives what it told then. */
  async look(): Promise<unknown> {
    const before = this.told.length
    await this.clock.pass(POLL_MS)
    await eventually(() => this.clock.pending().includes(POLL_MS))
    return this.told.slice(before)
  }
}

function timeoutOf({ defaults }: OperatorConfig): number | undefined {
  return defaults.responseTimeoutMs
}

describe('OperatorConfigWatch', () => {
  let dir = ''

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'ramjet-config-'))
  })

  afterEach(() => rm(dir, { recursive: true }))

  /** Writes these files, starts on `path` and stops at the end. */
  async function started(
    files: Readonly<Record<string, string>>,
    path: string,
    use: (fixture: Fixture) => Promise<void>,
  ) {
    await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(dir, name), text)))
    const fixture = new Fixture(path)
    await fixture.watch.start()
    await use(fixture)
    fixture.watch.stop()
    expect(fixture.clock.pending()).to.deep.equal([])
  }

  it('R42-1: reads one file, whatever its name', async () => {
    await started({ ramjet: timeout('1s') }, join(dir, 'ramjet'), async ({ watch }) => {
      expect(timeoutOf(watch.config)).to.equal(1000)
    })
  })

  it('R42-4: reads the .yaml, .yml and .conf files of a folder in order of their names, and nothing else', async () => {
    await mkdir(join(dir, 'sub'))
    await mkdir(join(dir, 'z.yaml'))
    await writeFile(join(dir, 'sub', 'z.yaml'), 'no: {')
    const files = {
      '20.yml': timeout('2s'),
      '10.yaml': timeout('1s'),
      '30.conf': 'defaults: {healthMode: probe}',
      'notes.txt': 'no: {',
      'x.yaml.bak': 'no: {',
    }
    await started(files, dir, async ({ watch }) => {
      expect(watch.config.defaults).to.deep.equal({ responseTimeoutMs: 2000, healthMode: 'probe' })
      expect(watch.config.overwrites.map(({ before, after }) => [before.file, after.file])).to.deep.equal([
        [join(dir, '10.yaml'), join(dir, '20.yml')],
      ])
    })
  })

  it('takes a folder without files for a configuration that sets nothing', async () => {
    await started({}, dir, async ({ watch }) => {
      expect(watch.config.defaults).to.deep.equal({})
    })
  })

  it('R42-8: refuses to start with every fault, each by file, line and field', async () => {
    await writeFile(join(dir, 'a.yaml'), `caches: {}\n${timeout('5')}`)
    const fixture = new Fixture(dir)
    const thrown: unknown = await fixture.watch.start().catch((error: unknown) => error)
    expect(thrown).to.be.instanceOf(OperatorConfigError)
    expect(thrown).to.have.property('message')
    expect(String(thrown)).to.contain(`${join(dir, 'a.yaml')}:1: caches: not in this build\n`)
    expect(String(thrown)).to.contain(`${join(dir, 'a.yaml')}:2: defaults.timeout: must be a number`)
    expect(fixture.clock.pending()).to.deep.equal([])
  })

  it('R42-8: refuses to start without the file', async () => {
    const thrown: unknown = await new Fixture(join(dir, 'none.yaml')).watch.start().catch((error: unknown) => error)
    expect(String(thrown)).to.match(/none\.yaml:1: cannot be read: ENOENT/)
  })

  it('R42-9: looks every 10 s and tells a change once', async () => {
    await started({ 'a.yaml': timeout('1s') }, dir, async (fixture) => {
      expect(await fixture.look()).to.deep.equal([])
      await writeFile(join(dir, 'a.yaml'), timeout('2s'))
      expect(await fixture.look()).to.deep.equal([2000])
      expect(await fixture.look()).to.deep.equal([])
    })
  })

  it('R42-9: sees the link swapped by which a kubelet renews a mounted ConfigMap', async () => {
    await Promise.all(['..one', '..two'].map((name) => mkdir(join(dir, name))))
    await writeFile(join(dir, '..one', 'a.yaml'), timeout('1s'))
    await writeFile(join(dir, '..two', 'a.yaml'), timeout('2s'))
    await symlink('..one', join(dir, '..data'))
    await symlink(join('..data', 'a.yaml'), join(dir, 'a.yaml'))
    await started({}, dir, async (fixture) => {
      expect(timeoutOf(fixture.watch.config)).to.equal(1000)
      await symlink('..two', join(dir, '..data_tmp'))
      await rename(join(dir, '..data_tmp'), join(dir, '..data'))
      expect(await fixture.look()).to.deep.equal([2000])
    })
  })

  it('R42-9: an invalid reading keeps all of the old configuration, counts, and leaves its time behind', async () => {
    await started({ 'a.yaml': timeout('1s'), 'b.yaml': 'defaults: {healthMode: probe}' }, dir, async (fixture) => {
      const { watch } = fixture
      const { loadedAtMs } = watch.status()
      await writeFile(join(dir, 'a.yaml'), timeout('2s'))
      await writeFile(join(dir, 'b.yaml'), 'defaults: {healthMode: perhaps}')
      expect(await fixture.look()).to.deep.equal([
        [`${join(dir, 'b.yaml')}:1: defaults.healthMode: must be provider or probe`],
      ])
      expect(watch.config.defaults).to.deep.equal({ responseTimeoutMs: 1000, healthMode: 'probe' })
      expect(watch.status()).to.include({ loadedAtMs, failures: 1 })
      expect(watch.status().faults).to.have.lengthOf(1)
      // The same invalid files are one invalid reading.
      expect(await fixture.look()).to.deep.equal([])
      expect(watch.status().failures).to.equal(1)
      await writeFile(join(dir, 'b.yaml'), 'defaults: {}')
      expect(await fixture.look()).to.deep.equal([2000])
      expect(watch.status()).to.deep.include({ failures: 1, faults: [] })
      expect(watch.status().loadedAtMs).to.be.above(loadedAtMs)
    })
  })

  it('R42-9: a file that is gone is an invalid reading', async () => {
    await started({ 'a.yaml': timeout('1s') }, join(dir, 'a.yaml'), async (fixture) => {
      await rm(join(dir, 'a.yaml'))
      expect(JSON.stringify(await fixture.look())).to.contain('cannot be read: ENOENT')
      expect(timeoutOf(fixture.watch.config)).to.equal(1000)
    })
  })

  it('R42-9: reads at once when it is asked to, and then tells a fault again', async () => {
    await started({ 'a.yaml': timeout('1s') }, dir, async (fixture) => {
      await fixture.watch.reload()
      expect(fixture.told).to.deep.equal([])
      await writeFile(join(dir, 'a.yaml'), timeout('2s'))
      await fixture.watch.reload()
      expect(fixture.told).to.deep.equal([2000])
      await writeFile(join(dir, 'a.yaml'), 'caches: {}')
      await fixture.watch.reload()
      await fixture.watch.reload()
      const lines = [`${join(dir, 'a.yaml')}:1: caches: not in this build`]
      expect(fixture.told.slice(1)).to.deep.equal([lines, lines])
      expect(fixture.watch.status().failures).to.equal(2)
    })
  })

  it('refuses a file above its size, and more files than it reads', async () => {
    await writeFile(join(dir, 'a.yaml'), `#${' '.repeat(1024 * 1024)}`)
    const large: unknown = await new Fixture(dir).watch.start().catch((error: unknown) => error)
    expect(String(large)).to.contain('a.yaml:1: has 1048577 bytes; at most 1048576 are read')
    await rm(join(dir, 'a.yaml'))
    await Promise.all(Array.from({ length: 101 }, (_, index) => writeFile(join(dir, `${index}.yaml`), '')))
    const many: unknown = await new Fixture(dir).watch.start().catch((error: unknown) => error)
    expect(String(many)).to.contain('has 101 files; at most 100 are read')
  })

  it('refuses what is no file: a pipe would be waited for', async () => {
    await symlink('/dev/null', join(dir, 'pipe.yaml'))
    const thrown: unknown = await new Fixture(dir).watch.start().catch((error: unknown) => error)
    expect(String(thrown)).to.contain('pipe.yaml:1: is no file')
  })

  it('refuses a file that is no UTF-8', async () => {
    await writeFile(join(dir, 'a.yaml'), Buffer.from([0x61, 0xff]))
    const thrown: unknown = await new Fixture(dir).watch.start().catch((error: unknown) => error)
    expect(String(thrown)).to.contain('a.yaml:1: cannot be read')
  })
})
