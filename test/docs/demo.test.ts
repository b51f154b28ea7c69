import { expect } from 'chai'
import { type RunningDemo, startDemo } from '../demo/running-demo.ts'
import { IN_DEMO } from './shown-commands.ts'

describe('commands that pages show, while npm run demo runs', function () {
  this.timeout(60_000)
  let demo: RunningDemo

  before(async () => {
    demo = await startDemo()
  })

  after(() => demo.stop())

  for (const { command, prints } of IN_DEMO) {
    it(`${command} prints what it is shown for`, async () => {
      const { code, stdout } = await demo.run(command)
      expect(code).to.equal(0)
      expect(stdout).to.match(prints)
    })
  }
})
