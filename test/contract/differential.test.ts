import { expect } from 'chai'
import * as fc from 'fast-check'
import type { EngineFactory, EngineSettings } from '../../src/dataplane/engine.ts'
import { createStandardEngine } from '../../src/dataplane/engines/standard/server.ts'
import { WIRE_ENGINES } from '../fakes/wire-engines.ts'
import { conversations, WRITTEN } from './differential/conversations.ts'
import { type Conversation, Differential } from './differential/exchange.ts'

const GENERATED = 300

const SETTINGS: readonly (readonly [title: string, settings: Partial<EngineSettings>])[] = [
  ['from peers that nobody trusts', {}],
  ['from trusted peers', { trustedProxies: ['127.0.0.0/8'], underscoreHeaders: 'keep' }],
]

/** R20-180: byte-identical requests to two engines over identical tables. */
describe('both engines', function () {
  this.timeout(60_000)

  for (const [transport, wire] of WIRE_ENGINES) {
    for (const [title, settings] of SETTINGS) {
      describe(`the standard one and wire on ${transport}, ${title}`, () => {
        for (const [index, conversation] of WRITTEN.entries()) {
          it(`do the same with ${JSON.stringify(conversation.request.slice(0, 60))} (${index})`, () =>
            between(wire, settings, (compare) => compare(conversation)))
        }

        it(`do the same with ${GENERATED} generated conversations`, () =>
          between(wire, settings, (compare) =>
            fc.assert(fc.asyncProperty(conversations, compare), { numRuns: GENERATED, endOnFailure: true }),
          ))
      })
    }
  }
})

type Compare = (conversation: Conversation) => Promise<void>

async function between(
  wire: EngineFactory,
  settings: Partial<EngineSettings>,
  work: (compare: Compare) => Promise<void>,
): Promise<void> {
  const [standard, other] = await Promise.all([
    Differential.start(createStandardEngine, settings),
    Differential.start(wire, settings),
  ])
  try {
    await work(async (conversation) => {
      const [wanted, got] = await Promise.all([standard.run(conversation), other.run(conversation)])
      expect(got).to.deep.equal(wanted)
    })
  } finally {
    standard.stop()
    other.stop()
  }
}
