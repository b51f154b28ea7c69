// The operator's configuration of a running process, and its edits: R42-1 to R42-13.
import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { classParameters, classWithParameters } from './support/class-parameters.ts'
import { theCluster } from './support/cluster.ts'
import { eventually } from './support/eventually.ts'
import { Ramjet, type RamjetOptions } from './support/ramjet.ts'
import { namespaceForEach } from './support/scene.ts'

const MAIN = join(import.meta.dirname, '..', '..', 'src', 'main.ts')
const timeout = (text: string): string => `defaults:\n  timeout: ${text}\n`

interface Setting {
  readonly name: string
  readonly value: string
  readonly origin: string
  readonly place?: string
}

describe("the operator's configuration", () => {
  const namespace = namespaceForEach()
  let dir = ''
  let running: Ramjet | undefined

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'ramjet-config-'))
    await namespace().service('web')
    await namespace().ingress('web', { [namespace().host('web')]: { '/': 'web' } })
  })

  afterEach(async () => {
    await running?.stop()
    running = undefined
    await rm(dir, { recursive: true })
  })

  const url = (): string => `http://${namespace().host('web')}/`
  const write = (name: string, text: string): Promise<void> => writeFile(join(dir, name), text)

  async function start(options: RamjetOptions = {}): Promise<Ramjet> {
    running = await Ramjet.start(theCluster(), { workers: 1, ...options, flags: ['--config', dir] })
    await running.serves(url(), 'web')
    return running
  }

  const statusAfter = async (ramjet: Ramjet, delayMs: number): Promise<number> =>
    (await ramjet.get(`${url()}?delay=${delayMs}`)).status

  it('R42-9: sets every class, and changes while it runs when SIGHUP says so', async () => {
    await write('a.yaml', timeout('300ms'))
    const ramjet = await start()
    expect(await statusAfter(ramjet, 2000)).to.equal(504)
    await write('a.yaml', timeout('10s'))
    ramjet.process.signal('SIGHUP')
    await eventually(async () => expect(await statusAfter(ramjet, 600)).to.equal(200))
  })

  it('R42-9: is looked at by itself, and sees the swap of a link', async () => {
    await Promise.all(['..one', '..two'].map((name) => mkdir(join(dir, name))))
    await write('..one/a.yaml', timeout('300ms'))
    await write('..two/a.yaml', timeout('10s'))
    await symlink('..one', join(dir, '..data'))
    await symlink(join('..data', 'a.yaml'), join(dir, 'a.yaml'))
    const ramjet = await start({ tunables: { configPollMs: 100 } })
    expect(await statusAfter(ramjet, 2000)).to.equal(504)
    await symlink('..two', join(dir, '..tmp'))
    await rename(join(dir, '..tmp'), join(dir, '..data'))
    await eventually(async () => expect(await statusAfter(ramjet, 600)).to.equal(200))
  })

  it('R42-9: keeps all of what was good last, and tells log, classes and metrics', async () => {
    await write('a.yaml', timeout('10s'))
    await write('b.yaml', 'defaults:\n  loadBalancing: random\n')
    // It looks when it is told to and not between two writes.
    const ramjet = await start({ tunables: { configPollMs: 600_000 } })
    const loadedAt = await ramjet.metric('ramjet_config_loaded_timestamp_seconds')
    expect(loadedAt).to.be.closeTo(Date.now() / 1000, 60)
    await write('a.yaml', timeout('300ms'))
    await write('b.yaml', 'caches: {}\n')
    ramjet.process.signal('SIGHUP')
    await eventually(async () => {
      expect(await ramjet.metric('ramjet_config_reload_failures_total')).to.equal(1)
    })
    const told = (await ramjet.warnings('')).filter(({ reason }) => reason === 'OperatorConfigInvalid')
    expect(told.map(({ object, field }) => `${object.kind} ${field}`)).to.deep.equal([
      `IngressClass ${join(dir, 'b.yaml')}:1`,
    ])
    expect(await ramjet.metric('ramjet_config_loaded_timestamp_seconds')).to.equal(loadedAt)
    expect(await statusAfter(ramjet, 600)).to.equal(200)
    await write('b.yaml', '')
    ramjet.process.signal('SIGHUP')
    await eventually(async () => expect(await statusAfter(ramjet, 1000)).to.equal(504))
    const left = (await ramjet.warnings('')).filter(({ reason }) => reason === 'OperatorConfigInvalid')
    expect(left).to.deep.equal([])
  })

  it('R42-21: is weaker than the parameters of a class', async () => {
    await write('a.yaml', timeout('300ms'))
    const name = `tuned-${namespace().name}`
    await namespace().applyGlobal(classWithParameters(name, namespace().name, 'tuned'))
    await namespace().applyGlobal(classParameters(namespace().name, 'tuned', { timeout: '10s' }))
    const host = namespace().host('patient')
    await namespace().ingress('patient', { [host]: { '/': 'web' } }, { className: name })
    const ramjet = await start()
    await ramjet.serves(`http://${host}/`, 'web')
    expect((await ramjet.get(`http://${host}/?delay=600`)).status).to.equal(200)
    expect(await statusAfter(ramjet, 2000)).to.equal(504)
  })

  it('R42-13: shows what is in force and where it is from, and no secret', async () => {
    await write('a.yaml', timeout('10s'))
    const variable = ['$', '{', 'PROBE_TOKEN', '}'].join('')
    await write('b.yaml', `healthcheck:\n  headers:\n    X-Token: ${variable}\n`)
    const ramjet = await start({ env: { PROBE_TOKEN: 's3cret' } })
    const { settings } = (await ramjet.admin('/admin/config')) as { readonly settings: readonly Setting[] }
    expect(settings.filter(({ origin }) => origin === 'file')).to.deep.equal([
      { name: 'defaults.timeout', origin: 'file', place: `${join(dir, 'a.yaml')}:2`, value: '10s' },
      { name: 'healthcheck.headers.X-Token', origin: 'file', place: `${join(dir, 'b.yaml')}:3`, value: '***' },
    ])
    expect(JSON.stringify(settings)).not.to.contain('s3cret')
  })

  for (const [title, text, says] of [
    ['a section that is not built', 'caches: {}', 'a.yaml:1: caches: not in this build'],
    [
      'an unknown field',
      'defaults:\n  timeOut: 1s',
      'a.yaml:2: defaults.timeOut: unknown field; did you mean timeout?',
    ],
    [
      'a value without unit',
      'defaults:\n  timeout: 5',
      'a.yaml:2: defaults.timeout: must be a number with ms, s, m or h',
    ],
  ] as const) {
    it(`R42-8: ${title} ends the start with code 1, in static mode too`, async () => {
      await write('a.yaml', text)
      const routes = join(import.meta.dirname, '..', '..', 'examples', 'dev-routes.yaml')
      const args = [MAIN, '--static-routes', routes, '--config', dir, '--http', '127.0.0.1:0', '--no-admin']
      const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 60_000 })
      expect(stderr).to.equal(`ramjet: ${join(dir, says)}\n`)
      expect(status).to.equal(1)
    })
  }
})
