import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { RouteFile } from '../../src/compiler/snapshot.ts'
import type { Cancel, Timers } from '../../src/lib/timers.ts'
import {
  RouteFileError,
  RouteFileWatch,
  type RouteFileWatchDeps,
  readRouteFile,
} from '../../src/manifests/static-routes.ts'
import { type KeyPair, makeCertificate } from '../fakes/certificates.ts'

function fileWith(path: string): string {
  return `backends:\n  - {name: web, endpoints: ["127.0.0.1:1"]}\nroutes:\n  - {path: ${path}, backend: web}\n`
}

/** Runs what waits when the test says so. */
class ManualTimers implements Timers {
  readonly waiting: { readonly ms: number; readonly run: () => void }[] = []

  after(ms: number, run: () => void): Cancel {
    const entry = { ms, run }
    this.waiting.push(entry)
    return () => {
      const index = this.waiting.indexOf(entry)
      if (index >= 0) this.waiting.splice(index, 1)
    }
  }

  fire(): void {
    for (const { run } of this.waiting.splice(0)) run()
  }
}

type Told = { readonly routes: RouteFile } | { readonly faults: readonly string[] }

class Fixture {
  readonly timers = new ManualTimers()
  readonly told: Told[] = []
  readonly watch: RouteFileWatch
  #wake: () => void = () => {}

  constructor(path: string, deps: Pick<RouteFileWatchDeps, 'identityOf'> = {}) {
    const tell = (told: Told) => {
      this.told.push(told)
      this.#wake()
    }
    this.watch = new RouteFileWatch(path, {
      ...deps,
      timers: this.timers,
      onRoutes: (routes) => tell({ routes }),
      onFaults: (faults) => tell({ faults }),
    })
  }

  /** What the next look at the file tells. */
  async look(): Promise<Told> {
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve
    })
    this.timers.fire()
    await woken
    const last = this.told.at(-1)
    if (last === undefined) throw new Error('nothing was told')
    return last
  }
}

function pathsOf(told: Told | undefined): readonly string[] {
  return told !== undefined && 'routes' in told ? told.routes.routes.map(({ path }) => path) : ['no routes']
}

describe('RouteFileWatch (R20-176)', () => {
  let dir = ''
  let path = ''

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'ramjet-routes-'))
    path = join(dir, 'routes.yaml')
    await writeFile(path, fileWith('/a'))
  })

  afterEach(() => rm(dir, { recursive: true }))

  it('gives the routes at the start, named after the file', async () => {
    const { watch } = new Fixture(path)
    const file = await watch.start()
    watch.stop()
    expect(file.name).to.equal('routes.yaml')
    expect(file.routes).to.have.length(1)
  })

  it('refuses to start with a fault, naming the file as it was given', async () => {
    await writeFile(path, 'routes: 1\n')
    const fixture = new Fixture(path)
    const thrown: unknown = await fixture.watch.start().catch((error: unknown) => error)
    expect(thrown).to.be.instanceOf(RouteFileError)
    expect(thrown).to.have.property('message', `${path}:1: routes: must be a list`)
    expect(fixture.timers.waiting).to.deep.equal([])
  })

  it('looks twice in 2 s', async () => {
    const { watch, timers } = new Fixture(path)
    await watch.start()
    expect(timers.waiting.map(({ ms }) => ms * 2)).to.satisfy(([ms]: [number]) => ms <= 2000)
    watch.stop()
    expect(timers.waiting).to.deep.equal([])
  })

  it('tells what was written over the file', async () => {
    const fixture = new Fixture(path)
    await fixture.watch.start()
    await writeFile(path, fileWith('/b'))
    expect(pathsOf(await fixture.look())).to.deep.equal(['/b'])
    fixture.watch.stop()
  })

  it('tells what was written so soon after a read that the file bears the same date', async () => {
    const fixture = new Fixture(path, { identityOf: () => Promise.resolve('written in this tick') })
    await fixture.watch.start()
    await writeFile(path, fileWith('/b'))
    expect(pathsOf(await fixture.look())).to.deep.equal(['/b'])
    await writeFile(path, fileWith('/c'))
    expect(pathsOf(await fixture.look())).to.deep.equal(['/c'])
    fixture.watch.stop()
  })

  it('tells what was moved over the file', async () => {
    const fixture = new Fixture(path)
    await fixture.watch.start()
    await writeFile(`${path}.new`, fileWith('/b'))
    await rename(`${path}.new`, path)
    expect(pathsOf(await fixture.look())).to.deep.equal(['/b'])
    fixture.watch.stop()
  })

  it('notices when a folder on the way is a link that was swapped, as a mounted ConfigMap does', async () => {
    await Promise.all(['one', 'two'].map((name) => mkdir(join(dir, name))))
    await writeFile(join(dir, 'one', 'r.yaml'), fileWith('/one'))
    await writeFile(join(dir, 'two', 'r.yaml'), fileWith('/two'))
    await symlink('one', join(dir, '..data'))
    await symlink(join('..data', 'r.yaml'), join(dir, 'r.yaml'))
    const fixture = new Fixture(join(dir, 'r.yaml'))
    await fixture.watch.start()
    await symlink('two', join(dir, '..new'))
    await rename(join(dir, '..new'), join(dir, '..data'))
    expect(pathsOf(await fixture.look())).to.deep.equal(['/two'])
    fixture.watch.stop()
  })

  it('tells faults once, and the routes when they are mended', async () => {
    const fixture = new Fixture(path)
    await fixture.watch.start()
    await writeFile(path, 'routes: 1\n')
    expect(await fixture.look()).to.deep.equal({ faults: [`${path}:1: routes: must be a list`] })
    await fixture.watch.reload()
    expect(fixture.told).to.have.length(1)
    await writeFile(path, fileWith('/a'))
    expect(pathsOf(await fixture.look())).to.deep.equal(['/a'])
    fixture.watch.stop()
  })

  it('tells that the file is gone', async () => {
    const fixture = new Fixture(path)
    await fixture.watch.start()
    await rm(path)
    expect(await fixture.look())
      .to.have.nested.property('faults[0]')
      .that.matches(/cannot be read: ENOENT/)
    fixture.watch.stop()
  })

  it('tells nothing where the content is the same', async () => {
    const fixture = new Fixture(path)
    await fixture.watch.start()
    await writeFile(path, fileWith('/a'))
    await fixture.watch.reload()
    expect(fixture.told).to.deep.equal([])
    fixture.watch.stop()
  })
})

describe('what the compiler finds in a file', () => {
  for (const { found, text, line, field, says } of [
    {
      found: 'a host that is none',
      text: 'routes:\n  - path: /\n    host: "a b"\n    backend: web\n',
      line: 3,
      field: 'routes[0].host',
      says: /host "a b"/,
    },
    {
      found: 'a path that does not begin with a slash',
      text: 'routes:\n  - backend: web\n    path: x\n',
      line: 3,
      field: 'routes[0].path',
      says: /path "x"/,
    },
    {
      found: 'two routes with one host, path and type',
      text: 'routes:\n  - {path: /, backend: web}\n  - {path: /, backend: web}\n',
      line: 3,
      field: 'routes[1].path',
      says: /./,
    },
  ]) {
    it(`makes ${found} an error of the file, with line and field (R20-178)`, async () => {
      const dir = await mkdtemp(join(tmpdir(), 'ramjet-routes-'))
      const path = join(dir, 'r.yaml')
      await writeFile(path, `${text}backends: [{name: web, endpoints: []}]\n`)
      const result = await readRouteFile(path)
      await rm(dir, { recursive: true })
      const faults = result.ok ? [] : result.error
      expect(faults).to.have.length(1)
      expect(faults[0]?.startsWith(`${path}:${line}: ${field}: `)).to.equal(true)
      expect(faults[0]).to.match(says)
    })
  }

  it('that is no more than a statement is none: a backend without endpoints', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'ramjet-routes-'))
    const path = join(dir, 'r.yaml')
    await writeFile(path, 'backends: [{name: web, endpoints: []}]\nroutes: [{path: /, backend: web}]\n')
    const result = await readRouteFile(path)
    await rm(dir, { recursive: true })
    expect(result).to.have.property('ok', true)
  })
})

describe('readRouteFile', () => {
  it('refuses what is no UTF-8, too large or no file', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'ramjet-routes-'))
    await writeFile(join(dir, 'latin1'), Buffer.from([0x23, 0xe9]))
    await writeFile(join(dir, 'large'), Buffer.alloc(16 * 1024 * 1024 + 1, 0x20))
    const results = await Promise.all(['latin1', 'large', 'none', '.'].map((name) => readRouteFile(join(dir, name))))
    await rm(dir, { recursive: true })
    const errors = results.map((result) => (result.ok ? 'ok' : result.error.join()))
    expect(errors[0]).to.match(/cannot be read: .*not valid/)
    expect(errors[1]).to.match(/has 16777217 bytes/)
    expect(errors[2]).to.match(/ENOENT/)
    expect(errors[3]).to.match(/EISDIR/)
  })
})

function chainsOf(told: Told): readonly string[] {
  return 'routes' in told ? (told.routes.tls ?? []).map(({ certificate }) => certificate.chain) : told.faults
}

describe('PEM files that a file of routes names (R20-176, R21-36)', () => {
  const [first, second] = [makeCertificate(['shop.example']), makeCertificate(['shop.example'])]
  let dir = ''
  let path = ''

  async function write(pair: KeyPair): Promise<void> {
    await writeFile(join(dir, 'shop.pem'), pair.cert)
    await writeFile(join(dir, 'shop-key.pem'), pair.key)
  }

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'ramjet-pem-'))
    path = join(dir, 'routes.yaml')
    await writeFile(path, `${fileWith('/a')}tls:\n  - {host: shop.example, cert: shop.pem, key: ./shop-key.pem}\n`)
    await write(first)
  })

  afterEach(() => rm(dir, { recursive: true }))

  it('are read relative to it, wherever the process stands', async () => {
    const { watch } = new Fixture(path)
    const { tls } = await watch.start()
    watch.stop()
    expect(tls?.map(({ certificate }) => certificate.chain)).to.deep.equal([first.cert])
  })

  it('are read again when one of them changes, and told once', async () => {
    const fixture = new Fixture(path)
    await fixture.watch.start()
    await write(second)
    expect(chainsOf(await fixture.look())).to.deep.equal([second.cert])
    await fixture.watch.reload()
    expect(fixture.told).to.have.length(1)
    fixture.watch.stop()
  })

  it('that do not belong together any more are told with file and host, and what is mended is read', async () => {
    const fixture = new Fixture(path)
    await fixture.watch.start()
    await writeFile(join(dir, 'shop.pem'), second.cert)
    const [fault = ''] = chainsOf(await fixture.look())
    expect(fault).to.include(`${path}:6: tls[0].cert: the certificate of shop.example, shop.pem with ./shop-key.pem`)
    await writeFile(join(dir, 'shop-key.pem'), second.key)
    expect(chainsOf(await fixture.look())).to.deep.equal([second.cert])
    fixture.watch.stop()
  })

  it('that are gone are told, and back are read', async () => {
    const fixture = new Fixture(path)
    await fixture.watch.start()
    await rm(join(dir, 'shop-key.pem'))
    const [fault = ''] = chainsOf(await fixture.look())
    expect(fault).to.include('tls[0].key: ./shop-key.pem cannot be read: ENOENT')
    await write(second)
    expect(chainsOf(await fixture.look())).to.deep.equal([second.cert])
    fixture.watch.stop()
  })

  it('that the file names later are looked after too', async () => {
    await writeFile(path, fileWith('/a'))
    const fixture = new Fixture(path)
    await fixture.watch.start()
    await writeFile(path, `${fileWith('/b')}tls:\n  - {cert: shop.pem, key: shop-key.pem}\n`)
    expect(chainsOf(await fixture.look())).to.deep.equal([first.cert])
    await write(second)
    expect(chainsOf(await fixture.look())).to.deep.equal([second.cert])
    fixture.watch.stop()
  })

  it('of a backend count as well', async () => {
    const tls = 'tls: {verify: true, serverName: a.example, ca: shop.pem}'
    await writeFile(path, `backends:\n  - {name: web, endpoints: [], protocol: HTTPS, ${tls}}\n`)
    const fixture = new Fixture(path)
    const file = await fixture.watch.start()
    await write(second)
    const told = await fixture.look()
    const authorities = [file, 'routes' in told ? told.routes : undefined].map(
      (one) => one?.backends[0]?.tls?.authorities,
    )
    expect(authorities).to.deep.equal([first.cert, second.cert])
    fixture.watch.stop()
  })
})
