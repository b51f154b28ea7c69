import { expect } from 'chai'
import {
  clientAddress,
  forwardedFields,
  isForgottenProxy,
  PRIVATE_RANGES,
  plainAddress,
} from '../../src/http/forwarded.ts'
import { HeaderIndex } from '../../src/http/header-list.ts'
import { buildCidrSet } from '../../src/lib/ip.ts'

const TRUSTED = buildCidrSet(['10.0.0.0/8', '192.0.2.0/24', '2001:db8::/32'])

function withTrail(...values: readonly string[]): HeaderIndex {
  return new HeaderIndex(values.flatMap((value) => ['X-Forwarded-For', value]))
}

describe('clientAddress (R20-50)', () => {
  const cases: readonly { readonly title: string; readonly trail: readonly string[]; readonly want: string }[] = [
    { title: 'without a trail it is the peer', trail: [], want: '10.0.0.1' },
    { title: 'the right-most stranger', trail: ['203.0.113.1, 198.51.100.7, 192.0.2.9'], want: '198.51.100.7' },
    { title: 'over several fields', trail: ['198.51.100.7', '192.0.2.9,10.1.1.1'], want: '198.51.100.7' },
    { title: 'the left-most where all are trusted', trail: ['192.0.2.9 ,\t10.1.1.1'], want: '192.0.2.9' },
    { title: 'an IPv6 address', trail: ['2001:0DB9::1, 2001:db8::5'], want: '2001:0DB9::1' },
    { title: 'the peer where an entry is no address', trail: ['198.51.100.7, unknown, 10.1.1.1'], want: '10.0.0.1' },
    { title: 'the peer where an entry has a port', trail: ['198.51.100.7:80'], want: '10.0.0.1' },
    { title: 'the peer where an entry is empty', trail: ['198.51.100.7,'], want: '10.0.0.1' },
    { title: 'nothing is read behind the stranger that is found', trail: ['evil, 198.51.100.7'], want: '198.51.100.7' },
  ]

  for (const { title, trail, want } of cases) {
    it(title, () => {
      expect(clientAddress(withTrail(...trail), { address: '10.0.0.1', trusted: true }, TRUSTED)).to.equal(want)
    })
  }

  it('is the peer, whatever a stranger says', () => {
    const peer = { address: '198.51.100.1', trusted: false }
    expect(clientAddress(withTrail('203.0.113.1'), peer, TRUSTED)).to.equal('198.51.100.1')
  })
})

describe('isForgottenProxy (R20-52)', () => {
  const privateRanges = buildCidrSet(PRIVATE_RANGES)

  for (const { address, trusted, trail, want } of [
    { address: '10.1.2.3', trusted: false, trail: ['198.51.100.7'], want: true },
    { address: '172.31.0.1', trusted: false, trail: ['198.51.100.7'], want: true },
    { address: 'fd00::1', trusted: false, trail: ['198.51.100.7'], want: true },
    { address: '10.1.2.3', trusted: true, trail: ['198.51.100.7'], want: false },
    { address: '10.1.2.3', trusted: false, trail: [], want: false },
    { address: '172.32.0.1', trusted: false, trail: ['198.51.100.7'], want: false },
    { address: '198.51.100.1', trusted: false, trail: ['198.51.100.7'], want: false },
  ]) {
    it(`${address}, trusted: ${trusted}, with ${trail.length} trails: ${want}`, () => {
      expect(isForgottenProxy(withTrail(...trail), { address, trusted }, privateRanges)).to.equal(want)
    })
  }
})

describe('forwardedFields', () => {
  it('quote an IPv6 peer in Forwarded (RFC 7239, section 4)', () => {
    const fields = forwardedFields(
      new HeaderIndex(['Forwarded', 'for=192.0.2.1']),
      {
        peer: { address: '2001:db8::1', trusted: true },
        authority: 'a.example:80',
        port: 80,
        scheme: 'http',
        freshId: '0'.repeat(32),
      },
      { client: '192.0.2.1', kept: new Set() },
    )
    expect(fields.slice(-2)).to.deep.equal([
      'Forwarded',
      'for=192.0.2.1, for="[2001:db8::1]";host="a.example:80";proto=http',
    ])
  })

  it('leave out a host that the request does not have', () => {
    const peer = { address: '192.0.2.1', trusted: false }
    const hop = { peer, authority: '', port: 80, scheme: 'http', freshId: 'x' } as const
    expect(forwardedFields(new HeaderIndex([]), hop, { client: '192.0.2.1', kept: new Set() })).to.not.include(
      'X-Forwarded-Host',
    )
  })
})

describe('plainAddress', () => {
  for (const { address, want } of [
    { address: '::ffff:192.0.2.1', want: '192.0.2.1' },
    { address: '192.0.2.1', want: '192.0.2.1' },
    { address: '2001:db8::1', want: '2001:db8::1' },
    { address: '::ffff:c000:201', want: '::ffff:c000:201' },
  ]) {
    it(`${address} is written ${want}`, () => {
      expect(plainAddress(address)).to.equal(want)
    })
  }
})
