import { execFileSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { performance } from 'node:perf_hooks'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { ENGINE_SETTINGS } from '../builders/engine-settings.ts'
import { pairOf } from '../builders/pair.ts'
import { FakeLogger } from '../fakes/logger.ts'
import { RawConnection } from '../fakes/raw-connection.ts'
import { temporaryFolder } from '../fakes/temporary-folder.ts'

type Module = typeof import('../../src/dataplane/data-plane.ts')

describe('the emitted program', function () {
  this.timeout(60_000)
  const root = resolve(import.meta.dirname, '../..')
  const out = temporaryFolder('dist')
  before(() => {
    execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '--outDir', out], { cwd: root })
    // What is emitted finds its packages, and that it is a module, from where it would be installed.
    symlinkSync(join(root, 'node_modules'), join(out, 'node_modules'))
    symlinkSync(join(root, 'package.json'), join(out, 'package.json'))
  })

  it('starts its workers from the emitted entry file and serves (R80-19)', async () => {
    const { createDataPlane }: Module = await import(pathToFileURL(join(out, 'dataplane/data-plane.js')).href)
    const plane = createDataPlane(
      { http: [{ host: '127.0.0.1', port: 0 }], workers: 2, engine: 'standard', engineSettings: ENGINE_SETTINGS },
      {
        clock: { monotonicMs: () => performance.now(), wallMs: () => Date.now() },
        timers: {
          after(ms, run) {
            const timer = setTimeout(run, ms)
            return () => clearTimeout(timer)
          },
        },
        log: new FakeLogger(),
        onFatal: (error) => expect.fail(error.message),
      },
    )
    try {
      await plane.start()
      expect(await plane.apply(pairOf({ 'web.example': [] }))).to.deep.equal({ kind: 'applied' })
      const connection = await RawConnection.open(plane.listeners()[0]?.port ?? 0)
      const { head } = await connection.ask('elsewhere.example')
      expect(head).to.match(/^HTTP\/1.1 404 /)
      connection.close()
    } finally {
      await plane.stop()
    }
  })
})
