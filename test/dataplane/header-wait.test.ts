import { expect } from 'chai'
import { HeaderWait } from '../../src/dataplane/header-wait.ts'
import { proxyV1, proxyV2 } from '../builders/proxy-header.ts'
import { FakeClock } from '../fakes/clock.ts'

const TIMEOUT_MS = 5_000
const REQUEST = Buffer.from('GET / HTTP/1.1\r\n\r\n')

interface Waiting {
  readonly clock: FakeClock
  readonly wait: HeaderWait
  readonly failures: string[]
}

function waiting(): Waiting {
  const clock = new FakeClock()
  const failures: string[] = []
  return { clock, failures, wait: new HeaderWait(clock, TIMEOUT_MS, (failure) => failures.push(failure)) }
}

describe('HeaderWait', () => {
  const headers = [
    { title: 'version 1', bytes: proxyV1('198.51.100.7', 8443), want: { address: '198.51.100.7', port: 8443 } },
    {
      title: 'version 2 with fields behind the addresses',
      bytes: proxyV2({ destinationPort: 8443, tlvs: Buffer.from([4, 0, 2, 9, 9]) }),
      want: { address: '198.51.100.7', port: 8443 },
    },
    { title: 'version 2 LOCAL', bytes: proxyV2({ command: 'LOCAL' }), want: undefined },
    { title: 'version 1 UNKNOWN', bytes: Buffer.from('PROXY UNKNOWN and more\r\n'), want: undefined },
  ]

  for (const { title, bytes, want } of headers) {
    it(`reads ${title} in two pieces, wherever they part, and gives what came behind it`, () => {
      const all = Buffer.concat([bytes, REQUEST])
      for (let cut = 1; cut <= all.length; cut += 1) {
        const { wait, failures, clock } = waiting()
        const slab = Buffer.alloc(1024)
        const read = (part: Buffer): ReturnType<HeaderWait['read']> => wait.read(slab, part.copy(slab))
        const first = read(all.subarray(0, cut))
        const header = first ?? read(all.subarray(cut))
        expect(header?.proxied).to.deep.equal(want)
        // Its own memory: the slab is read into again.
        slab.fill(0)
        const rest = Buffer.concat([header?.rest ?? Buffer.alloc(0), first ? all.subarray(cut) : Buffer.alloc(0)])
        expect(rest.equals(REQUEST)).to.equal(true)
        expect(failures).to.deep.equal([])
        expect(clock.pending()).to.deep.equal([])
      }
    })
  }

  it('gives the IPv4 form of an IPv4-mapped address', () => {
    const { wait } = waiting()
    const line = Buffer.from('PROXY TCP6 ::ffff:198.51.100.7 2001:db8::1 1 443\r\n')
    expect(wait.read(line, line.length)?.proxied?.address).to.equal('198.51.100.7')
  })

  for (const { title, bytes, failure } of [
    { title: 'a request', bytes: REQUEST, failure: 'missing' },
    { title: 'a header that is none', bytes: Buffer.from('PROXY TCP4 nobody\r\n'), failure: 'malformed' },
    { title: 'fields past the length', bytes: proxyV2({ tlvs: Buffer.from([4, 0, 9]) }), failure: 'malformed' },
  ]) {
    it(`fails once for ${title}, and reads nothing more`, () => {
      const { wait, failures, clock } = waiting()
      expect(wait.read(bytes, bytes.length)).to.equal(undefined)
      const good = proxyV1('198.51.100.7')
      expect(wait.read(good, good.length)).to.equal(undefined)
      wait.ended()
      clock.advance(TIMEOUT_MS)
      expect(failures).to.deep.equal([failure])
    })
  }

  it('fails when time is up, and not before (R20-125)', () => {
    const { wait, failures, clock } = waiting()
    const header = proxyV1('198.51.100.7')
    wait.read(header, header.length - 1)
    clock.advance(TIMEOUT_MS - 1)
    expect(failures).to.deep.equal([])
    clock.advance(1)
    expect(failures).to.deep.equal(['timeout'])
    wait.ended()
    expect(failures).to.have.length(1)
  })

  it('tells who sent nothing from who broke off', () => {
    const nothing = waiting()
    nothing.wait.ended()
    expect(nothing.failures).to.deep.equal(['missing'])
    const half = waiting()
    half.wait.read(Buffer.from('PROXY TC'), 8)
    half.wait.ended()
    expect(half.failures).to.deep.equal(['malformed'])
  })
})
