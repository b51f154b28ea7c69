import { expect } from 'chai'
import { ownFamilies } from '../../src/controllers/look-up-name.ts'

const v4 = { family: 'IPv4', internal: false, address: '192.0.2.1' } as const
const v6 = { family: 'IPv6', internal: false, address: '2001:db8::1' } as const
const linkLocal = { family: 'IPv6', internal: false, address: 'fe80::1' } as const
const loopback = [
  { family: 'IPv4', internal: true, address: '127.0.0.1' },
  { family: 'IPv6', internal: true, address: '::1' },
] as const

describe('ownFamilies', () => {
  for (const [title, interfaces, want] of [
    ['IPv4 alone', [...loopback, v4], [4]],
    ['IPv4 with a link-local IPv6 address', [v4, linkLocal], [4]],
    ['IPv6 alone', [...loopback, v6], [6]],
    ['both', [v6, v4], [4, 6]],
    ['nothing but loopback, where nobody can say', [...loopback], [4, 6]],
  ] as const) {
    it(`of ${title}`, () => {
      expect(ownFamilies(interfaces)).to.deep.equal(want)
    })
  }
})
