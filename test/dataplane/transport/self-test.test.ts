import { expect } from 'chai'
import { createHandleTransport } from '../../../src/dataplane/transport/handle.ts'
import { createPublicTransport } from '../../../src/dataplane/transport/public.ts'
import { testTransport } from '../../../src/dataplane/transport/self-test.ts'
import { eventually } from '../../fakes/clock.ts'
import { FaultyTransport, type TransportFaultKind } from '../../fakes/faulty-transport.ts'
import { openSockets } from '../../fakes/open-sockets.ts'

/** How long a fault that shows in nothing but silence may keep a test waiting. */
const SHORT_MS = 400

const FAULTS: readonly (readonly [TransportFaultKind, errno: string, message: RegExp])[] = [
  ['changes a byte', 'EPROTO', /echo came back changed/],
  ['reads while paused', 'EPROTO', /paused connection was read/],
  ['takes what it cannot send', 'EPROTO', /held nothing back/],
  ['counts nothing as waiting', 'EPROTO', /not counted/],
  ['loses bytes under pressure', 'ETIMEDOUT', /took too long/],
  ['hides a reset', 'EPROTO', /reset was told as an end/],
  ['never opens', 'ETIMEDOUT', /took too long/],
]

describe('testTransport (R60-25)', () => {
  it('passes both transports and leaves nothing open', async () => {
    const before = openSockets()
    const handle = createHandleTransport()
    expect(await testTransport(createPublicTransport())).to.deep.equal({ ok: true, value: undefined })
    if (handle.ok) expect(await testTransport(handle.value)).to.deep.equal({ ok: true, value: undefined })
    expect(handle.ok).to.equal(true)
    await eventually(() => openSockets() <= before)
  })

  for (const [fault, errno, message] of FAULTS) {
    it(`finds a transport that ${fault}`, async function finds() {
      this.timeout(20_000)
      const patienceMs = errno === 'ETIMEDOUT' ? SHORT_MS : undefined
      const outcome = await testTransport(new FaultyTransport(fault), patienceMs)
      expect(outcome.ok ? undefined : outcome.error.errno).to.equal(errno)
      expect(outcome.ok ? '' : outcome.error.message).to.match(message)
    })
  }
})
