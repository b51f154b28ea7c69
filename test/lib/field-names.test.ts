import { expect } from 'chai'
import {
  HOP_BY_HOP,
  isFieldValue,
  isForbiddenTrailer,
  isForwardedField,
  isManagedRequest,
  isProtectedFromConnection,
  isToken,
  managedAlias,
} from '../../src/lib/field-names.ts'

describe('isToken', () => {
  for (const name of ['Host', 'x-a', 'X_B', 'a.b', "!#$%&'*+-.^_`|~0Az"]) {
    it(`takes ${name}`, () => {
      expect(isToken(name)).to.equal(true)
    })
  }

  for (const name of ['', ' ', 'a b', 'a:', 'a\t', 'a\r\n', 'a(b)', 'a"', 'a,b', 'a/b', 'a@b', '\u00e9', 'a\0']) {
    it(`refuses ${JSON.stringify(name)}`, () => {
      expect(isToken(name)).to.equal(false)
    })
  }
})

describe('isFieldValue', () => {
  it('takes visible characters, spaces, tabs and bytes above 0x7f, and refuses every other byte', () => {
    for (let code = 0; code < 256; code += 1) {
      const isAllowed = code === 0x09 || (code >= 0x20 && code !== 0x7f)
      expect(isFieldValue(`a${String.fromCharCode(code)}b`), code.toString(16)).to.equal(isAllowed)
    }
  })

  it('takes the empty value and refuses what is no byte', () => {
    expect(isFieldValue('')).to.equal(true)
    expect(isFieldValue('\u20ac')).to.equal(false)
    expect(isFieldValue('a\r\nX-Injected: 1')).to.equal(false)
  })
})

interface Facts {
  readonly name: string
  readonly managed?: boolean
  readonly forwarded?: boolean
  readonly kept?: boolean
  readonly noTrailer?: boolean
}

const facts: readonly Facts[] = [
  { name: 'x-request-id', managed: true, noTrailer: true },
  { name: 'proxy', managed: true, noTrailer: true },
  { name: 'x-real-ip', managed: true, forwarded: true, noTrailer: true },
  { name: 'x-scheme', managed: true, forwarded: true, noTrailer: true },
  { name: 'forwarded', managed: true, forwarded: true, noTrailer: true },
  { name: 'x-forwarded-for', managed: true, forwarded: true, kept: true, noTrailer: true },
  { name: 'x-forwarded-host', managed: true, forwarded: true, kept: true, noTrailer: true },
  { name: 'x-forwarded-prefix', managed: true, forwarded: true, kept: true, noTrailer: true },
  { name: 'x-forwarded-anything', managed: true, forwarded: true, kept: true, noTrailer: true },
  { name: 'x-original-forwarded-for', managed: true, forwarded: true, noTrailer: true },
  { name: 'x-original-url', managed: true, forwarded: true, noTrailer: true },
  { name: 'host', kept: true, noTrailer: true },
  { name: 'content-length', kept: true, noTrailer: true },
  { name: 'transfer-encoding', noTrailer: true },
  { name: 'authorization', kept: true, noTrailer: true },
  { name: 'cookie', kept: true, noTrailer: true },
  { name: 'connection', noTrailer: true },
  { name: 'te', noTrailer: true },
  { name: 'upgrade', noTrailer: true },
  { name: 'http2-settings', noTrailer: true },
  { name: 'via' },
  { name: 'x-forwarded' },
  { name: 'x-team' },
  { name: 'grpc-status' },
  { name: 'constructor' },
]

describe('what is known of a field', () => {
  for (const { name, managed = false, forwarded = false, kept = false, noTrailer = false } of facts) {
    it(`${name} (R20-30 to R20-51)`, () => {
      expect(isManagedRequest(name)).to.equal(managed)
      expect(isForwardedField(name)).to.equal(forwarded)
      expect(isProtectedFromConnection(name)).to.equal(kept)
      expect(isForbiddenTrailer(name)).to.equal(noTrailer)
    })
  }

  it('has the hop-by-hop fields of R20-41', () => {
    for (const name of ['connection', 'keep-alive', 'te', 'upgrade', 'transfer-encoding', 'proxy-connection']) {
      expect(HOP_BY_HOP.has(name)).to.equal(true)
    }
    expect(HOP_BY_HOP.has('content-length')).to.equal(false)
  })
})

describe('managedAlias', () => {
  for (const [name, alias] of [
    ['x_forwarded_for', 'x-forwarded-for'],
    ['x.forwarded.for', 'x-forwarded-for'],
    ['x-forwarded_for', 'x-forwarded-for'],
    ['x_forwarded.host', 'x-forwarded-host'],
    ['x_original_url', 'x-original-url'],
    ['x_real_ip', 'x-real-ip'],
    ['transfer_encoding', 'transfer-encoding'],
    ['content.length', 'content-length'],
    ['proxy_authorization', 'proxy-authorization'],
    ['x-forwarded-for', undefined],
    ['host', undefined],
    ['x_team', undefined],
    ['x.team', undefined],
    ['_', undefined],
  ] as const) {
    it(`of ${name} is ${alias ?? 'none'} (R20-38, R20-39, R70-34)`, () => {
      expect(managedAlias(name)).to.equal(alias)
    })
  }
})
