import { spawnSync } from 'node:child_process'
import { expect } from 'chai'
import { ROOT, readPage } from './pages.ts'
import { ELSEWHERE, IN_DEMO, IN_DEMO_CLUSTER, shownCommands } from './shown-commands.ts'

describe('commands that pages show', () => {
  const run = [...IN_DEMO, ...IN_DEMO_CLUSTER].map(({ command }) => command)

  it('are all run by a test, and nothing else is listed (R80-23)', () => {
    expect([...run, ...ELSEWHERE.keys()]).to.have.members(shownCommands())
  })

  it('find the Node that npm ci installed', () => {
    const setup = 'export PATH="$PWD/node_modules/.bin:$PATH"'
    const { stdout } = spawnSync('sh', ['-c', `${setup}; node --version`], { cwd: ROOT, encoding: 'utf8' })
    const { optionalDependencies } = JSON.parse(readPage('package.json')) as {
      optionalDependencies: Record<string, string>
    }
    const versions = Object.values(optionalDependencies)
    expect(stdout.trim()).to.equal(`v${versions[0]}`)
  })

  for (const [command, why] of ELSEWHERE) {
    if (!why.includes('step of .ci/run')) continue
    it(`${command} is ${why}`, () => {
      expect(readPage('.ci/run')).to.include(command)
    })
  }
})
