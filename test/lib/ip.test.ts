import { BlockList } from 'node:net'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { buildCidrSet, endpointAddress, ipFamily, isIp, parseCidr, parseHostPort } from '../../src/lib/ip.ts'

describe('ipFamily', () => {
  for (const [text, family] of [
    ['192.0.2.1', 4],
    ['0.0.0.0', 4],
    ['2001:db8::1', 6],
    ['::', 6],
    ['::ffff:192.0.2.1', 6],
    ['192.0.2.256', undefined],
    ['192.0.2', undefined],
    ['192.0.2.01', undefined],
    ['0x7f.1', undefined],
    ['fe80::1%eth0', undefined],
    ['[::1]', undefined],
    ['192.0.2.1:80', undefined],
    [' 192.0.2.1', undefined],
    ['', undefined],
    ['a.example', undefined],
  ] as const) {
    it(`of ${JSON.stringify(text)} is ${family}`, () => {
      expect(ipFamily(text)).to.equal(family)
      expect(isIp(text)).to.equal(family !== undefined)
    })
  }
})

const networks: readonly {
  readonly text: string
  readonly family: 4 | 6
  readonly bits: number
  readonly lead: number[]
}[] = [
  { text: '192.0.2.0/24', family: 4, bits: 24, lead: [192, 0, 2, 0] },
  { text: '192.0.2.77/24', family: 4, bits: 24, lead: [192, 0, 2, 0] },
  { text: '192.0.2.77/25', family: 4, bits: 25, lead: [192, 0, 2, 0] },
  { text: '192.0.2.200/25', family: 4, bits: 25, lead: [192, 0, 2, 128] },
  { text: '192.0.2.1', family: 4, bits: 32, lead: [192, 0, 2, 1] },
  { text: '0.0.0.0/0', family: 4, bits: 0, lead: [0, 0, 0, 0] },
  { text: '2001:db8::/32', family: 6, bits: 32, lead: [0x20, 0x01, 0x0d, 0xb8, 0, 0] },
  { text: '2001:db8:0:0:1::/80', family: 6, bits: 80, lead: [0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 1] },
  { text: '::1', family: 6, bits: 128, lead: [0] },
  { text: '::/0', family: 6, bits: 0, lead: [0] },
  { text: '::ffff:192.0.2.0/120', family: 4, bits: 24, lead: [192, 0, 2, 0] },
  { text: '::ffff:c000:200/120', family: 4, bits: 24, lead: [192, 0, 2, 0] },
  { text: '::ffff:192.0.2.0/90', family: 6, bits: 90, lead: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xc0, 0, 0] },
  { text: '::ffff:192.0.2.1', family: 4, bits: 32, lead: [192, 0, 2, 1] },
]

describe('parseCidr', () => {
  for (const { text, family, bits, lead } of networks) {
    it(`reads ${text}`, () => {
      const parsed = parseCidr(text)
      expect(parsed.ok).to.equal(true)
      if (!parsed.ok) return
      expect(parsed.value).to.include({ family, prefixBits: bits })
      expect(parsed.value.bytes.slice(0, lead.length)).to.deep.equal(lead)
      expect(parsed.value.bytes.length).to.equal(family === 4 ? 4 : 16)
    })
  }

  for (const text of [
    '',
    '/',
    '/8',
    'a.example',
    '192.0.2.0/',
    '192.0.2.0/33',
    '192.0.2.0/-1',
    '192.0.2.0/+8',
    '192.0.2.0/8/8',
    '192.0.2.0/ 8',
    '192.0.2.0/0x8',
    '2001:db8::/129',
    'fe80::1%eth0/64',
    '[::1]/64',
    '192.0.2/24',
  ]) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      expect(parseCidr(text)).to.have.property('ok', false)
    })
  }
})

describe('a CIDR set', () => {
  const set = buildCidrSet(['192.0.2.0/25', '2001:db8:1::/48', '198.51.100.7'])

  for (const [ip, want] of [
    ['192.0.2.0', true],
    ['192.0.2.127', true],
    ['192.0.2.128', false],
    ['198.51.100.7', true],
    ['198.51.100.8', false],
    ['2001:db8:1::1', true],
    ['2001:DB8:1:ffff::', true],
    ['2001:db8:2::', false],
    ['::ffff:192.0.2.5', true],
    ['::ffff:c000:205', true],
    ['::ffff:192.0.2.200', false],
    ['::192.0.2.5', false],
    ['2001:db8:1::1%eth0', true],
    ['', false],
    ['a.example', false],
    ['192.0.2.5:80', false],
  ] as const) {
    it(`${want ? 'contains' : 'does not contain'} ${JSON.stringify(ip)}`, () => {
      expect(set.contains(ip)).to.equal(want)
    })
  }

  it('judges a mapped address as IPv4 and not as IPv6', () => {
    expect(buildCidrSet(['::/0']).contains('::ffff:192.0.2.1')).to.equal(false)
    expect(buildCidrSet(['0.0.0.0/0']).contains('::ffff:192.0.2.1')).to.equal(true)
    expect(buildCidrSet(['::ffff:0:0/96']).contains('192.0.2.1')).to.equal(true)
  })

  it('contains nothing where it is empty', () => {
    expect(buildCidrSet([]).contains('192.0.2.1')).to.equal(false)
  })

  it('throws for a network that parseCidr refuses', () => {
    expect(() => buildCidrSet(['192.0.2.0/24', '10.0.0.0/99'])).to.throw(RangeError, '10.0.0.0/99')
  })

  it('equals net.BlockList for random networks and addresses', () => {
    const v4 = fc.tuple(fc.constant('ipv4' as const), fc.ipV4(), fc.ipV4(), fc.nat(32))
    const v6 = fc.tuple(fc.constant('ipv6' as const), fc.ipV6(), fc.ipV6(), fc.nat(128))
    fc.assert(
      fc.property(fc.oneof(v4, v6), ([family, network, other, prefix]) => {
        const reference = new BlockList()
        reference.addSubnet(network, prefix, family)
        const ours = buildCidrSet([`${network}/${prefix}`])
        for (const ip of [network, other]) {
          if (/^[0:]*ffff:/i.test(ip)) continue
          expect(ours.contains(ip), `${ip} in ${network}/${prefix}`).to.equal(reference.check(ip, family))
        }
      }),
      { numRuns: 1000 },
    )
  })
})

describe('endpointAddress and parseHostPort', () => {
  for (const [text, host, port] of [
    ['192.0.2.1:80', '192.0.2.1', 80],
    ['[2001:db8::1]:8443', '2001:db8::1', 8443],
    ['localhost:0', 'localhost', 0],
    ['a.example:65535', 'a.example', 65_535],
  ] as const) {
    it(`are each other's inverse for ${text}`, () => {
      expect(parseHostPort(text)).to.deep.equal({ ok: true, value: { host, port } })
      expect(endpointAddress(host, port)).to.equal(text)
    })
  }

  for (const [text, says] of [
    ['', 'no port'],
    ['192.0.2.1', 'no port'],
    ['192.0.2.1:', 'between 0 and 65535'],
    ['192.0.2.1:65536', 'between 0 and 65535'],
    ['192.0.2.1:8a', 'between 0 and 65535'],
    ['192.0.2.1:-1', 'between 0 and 65535'],
    [':80', 'no host'],
    ['2001:db8::1:80', '[ ]'],
    ['[2001:db8::1:80', '[ ]'],
    ['[192.0.2.1]:80', '[ ]'],
    ['[]:80', '[ ]'],
    ['[::1%eth0]:80', '[ ]'],
  ] as const) {
    it(`refuse ${JSON.stringify(text)}: ${says}`, () => {
      const parsed = parseHostPort(text)
      expect(parsed.ok).to.equal(false)
      if (!parsed.ok) expect(parsed.error).to.include(says)
    })
  }

  it('have an answer for an address cut at every byte', () => {
    const whole = '[2001:db8::192.0.2.1]:8443'
    for (let cut = 0; cut <= whole.length; cut += 1) {
      expect(parseHostPort(whole.slice(0, cut)).ok).to.equal(cut > '[2001:db8::192.0.2.1]:'.length)
    }
  })
})
