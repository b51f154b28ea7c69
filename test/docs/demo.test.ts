// The README's first half, as a newcomer runs it. The lines that the demo itself shows are run by test/demo.
import { expect } from 'chai'
import { type RunningDemo, startDemo } from '../demo/running-demo.ts'
import { IN_DEMO } from './shown-commands.ts'

const START_MS = 120_000

describe('commands that pages show beside npm run demo', () => {
  let demo: RunningDemo | undefined

  before(async function () {
    this.timeout(START_MS)
    demo = await startDemo()
  })

  after(async function () {
    this.timeout(START_MS)
    await demo?.stop()
  })

  for (const { command, prints } of IN_DEMO) {
    it(`${command} prints what the page is about (R32-8)`, async () => {
      const ran = await demo?.run(command)
      expect(ran?.code).to.equal(0)
      expect(ran?.stdout).to.match(prints)
    })
  }
})
