import { expect } from 'chai'
import { faultsOf, type Sample } from './soak/verdict.ts'

const MIB = 1024 * 1024
const TOLERANCE = { rssBytes: 10 * MIB, liveHeapBytes: 2 * MIB, sockets: 5, handles: 1 }
const PROBE = { resources: { MessagePort: 1, TCPSocketWrap: 9 }, liveHeapBytes: 30 * MIB, rows: 10, highestRow: 20 }
const WARM: Sample = {
  minutes: 1,
  rssBytes: 200 * MIB,
  descriptors: 50,
  sockets: 30,
  generation: 5,
  probes: [PROBE],
  answered: 100,
  wrong: 0,
  lost: 0,
}

describe('the verdict of a soak', () => {
  it('is good while nothing is wrong, lost or growing', () => {
    const probes = [{ ...PROBE, resources: { MessagePort: 1, TCPSocketWrap: 40 }, highestRow: 40 }]
    const last = { ...WARM, rssBytes: 210 * MIB, descriptors: 55, sockets: 35, probes, answered: 1e6 }
    expect(faultsOf(WARM, [last], TOLERANCE)).to.deep.equal([])
  })

  it('is good where what comes and goes with the traffic was low once at the end, and not where it never was', () => {
    const busy = { ...WARM, sockets: 90, descriptors: 110 }
    expect(faultsOf(WARM, [busy, WARM, busy], TOLERANCE)).to.deep.equal([])
    expect(faultsOf(WARM, [busy, busy, busy], TOLERANCE)).to.deep.equal(['sockets grew from 30 to 90'])
  })

  const FAULTS: readonly (readonly [fault: string, last: Partial<Sample>])[] = [
    ['1 wrong answers', { wrong: 1 }],
    ['1 lost requests', { lost: 1 }],
    ['resident MiB grew from 200 to 211', { rssBytes: 211 * MIB }],
    ['live heap MiB grew from 30 to 33', { probes: [{ ...PROBE, liveHeapBytes: 33 * MIB }] }],
    ['sockets grew from 30 to 36', { sockets: 36, descriptors: 56 }],
    ['other descriptors grew from 20 to 22', { descriptors: 52 }],
    [
      'other handles and timers grew from 1 to 3',
      { probes: [{ ...PROBE, resources: { MessagePort: 1, Timeout: 2 } }] },
    ],
    ['highest row grew from 20 to 41', { probes: [{ ...PROBE, highestRow: 41 }] }],
    ['a thread tells nothing', { probes: [] }],
  ]
  for (const [fault, last] of FAULTS) {
    it(`tells: ${fault}`, () => expect(faultsOf(WARM, [{ ...WARM, ...last }], TOLERANCE)).to.deep.equal([fault]))
  }
})
