import { expect } from 'chai'
import * as fc from 'fast-check'
import { parseAuthority, parseRuleHost, parseServerName, wildcardOver } from '../../src/lib/host-name.ts'

const LABEL_63 = 'a'.repeat(63)
const NAME_253 = `${`${LABEL_63}.`.repeat(3)}${'b'.repeat(61)}`

const rules: readonly { readonly text: string; readonly want: string }[] = [
  { text: 'a.example', want: 'a.example' },
  { text: 'A.Example', want: 'a.example' },
  { text: 'localhost', want: 'localhost' },
  { text: '*.a.example', want: '*.a.example' },
  { text: '*.example', want: '*.example' },
  { text: 'x-1.example', want: 'x-1.example' },
  { text: 'a_b.example', want: 'a_b.example' },
  { text: '__proto__', want: '__proto__' },
  { text: '1.2.3.example', want: '1.2.3.example' },
  { text: `${LABEL_63}.example`, want: `${LABEL_63}.example` },
  { text: NAME_253, want: NAME_253 },
]

const refused: readonly { readonly text: string; readonly says: string }[] = [
  { text: '', says: 'empty label' },
  { text: '.', says: 'empty label' },
  { text: 'a..example', says: 'empty label' },
  { text: '.a.example', says: 'empty label' },
  { text: 'a.example.', says: 'empty label' },
  { text: '*.', says: 'empty label' },
  { text: '*', says: 'character' },
  { text: 'a.*.example', says: 'character' },
  { text: '*a.example', says: 'character' },
  { text: '*.*.example', says: 'character' },
  { text: 'a.example:80', says: 'character' },
  { text: 'a.example/x', says: 'character' },
  { text: 'a b.example', says: 'character' },
  { text: 'b\u00fccher.example', says: 'character' },
  { text: '\u212a.example', says: 'character' },
  { text: `a${LABEL_63}.example`, says: '63 octets' },
  { text: `${NAME_253}b`, says: '253 octets' },
  { text: `*.${NAME_253.slice(0, 252)}`, says: '253 octets' },
  { text: '192.0.2.1', says: 'IP address' },
  { text: '*.0.2.1', says: 'IP address' },
  { text: '2001:db8::1', says: 'character' },
  { text: '[2001:db8::1]', says: 'character' },
]

describe('parseRuleHost (R10-9)', () => {
  for (const { text, want } of rules) {
    it(`reads ${text} as ${want}`, () => {
      expect(parseRuleHost(text)).to.deep.equal({ ok: true, value: want })
    })
  }

  for (const { text, says } of refused) {
    it(`refuses ${JSON.stringify(text)}: ${says}`, () => {
      const parsed = parseRuleHost(text)
      expect(parsed.ok).to.equal(false)
      if (!parsed.ok) expect(parsed.error).to.include(says)
    })
  }
})

const authorities: readonly { readonly text: string; readonly want: string | undefined }[] = [
  { text: '', want: '' },
  { text: 'a.example', want: 'a.example' },
  { text: 'A.EXAMPLE', want: 'a.example' },
  { text: 'a.example.', want: 'a.example' },
  { text: 'a.example..', want: undefined },
  { text: 'a.example:80', want: 'a.example' },
  { text: 'a.example.:80', want: 'a.example' },
  { text: 'a.example:', want: 'a.example' },
  { text: 'a.example:0', want: 'a.example' },
  { text: 'a.example:65535', want: 'a.example' },
  { text: 'a.example:65536', want: undefined },
  { text: 'a.example:99999', want: undefined },
  { text: 'a.example:000080', want: undefined },
  { text: 'a.example:abc', want: undefined },
  { text: 'a.example:-1', want: undefined },
  { text: 'a.example:+80', want: undefined },
  { text: 'a.example: 80', want: undefined },
  { text: 'a.example:80:80', want: undefined },
  { text: ':80', want: undefined },
  { text: ':', want: undefined },
  { text: '.', want: undefined },
  { text: 'a b', want: undefined },
  { text: 'a.example, b.example', want: undefined },
  { text: 'a.example,b.example', want: undefined },
  { text: 'u@a.example', want: undefined },
  { text: 'a.example/', want: undefined },
  { text: 'a%2eexample', want: undefined },
  { text: '*.example', want: undefined },
  { text: '\u00e9.example', want: undefined },
  { text: '\u212a.example', want: undefined },
  { text: 'a\0.example', want: undefined },
  { text: `${LABEL_63}.example`, want: `${LABEL_63}.example` },
  { text: `a${LABEL_63}.example`, want: undefined },
  { text: `${NAME_253}.:443`, want: NAME_253 },
  { text: `${NAME_253}b`, want: undefined },
  { text: '__proto__', want: '__proto__' },
  { text: '192.0.2.1', want: '192.0.2.1' },
  { text: '192.0.2.1:80', want: '192.0.2.1' },
  { text: '[::1]', want: '[::1]' },
  { text: '[::1]:80', want: '[::1]' },
  { text: '[::1]:', want: '[::1]' },
  { text: '[2001:DB8::A]:80', want: '[2001:db8::a]' },
  { text: '[::1', want: undefined },
  { text: '[::1]80', want: undefined },
  { text: '[::1].', want: undefined },
  { text: '[::1]:99999', want: undefined },
  { text: '[]', want: undefined },
  { text: '[192.0.2.1]', want: undefined },
  { text: '[a.example]', want: undefined },
  { text: '[fe80::1%eth0]', want: undefined },
  { text: '::1', want: undefined },
]

describe('parseAuthority (R10-11)', () => {
  for (const { text, want } of authorities) {
    it(`reads ${JSON.stringify(text)} as ${JSON.stringify(want)}`, () => {
      expect(parseAuthority(text)).to.equal(want)
    })
  }

  it('reads every form of a rule as the rule itself', () => {
    const label = fc.string({ unit: fc.constantFrom('a', 'Z', '0', '9', '-', '_'), minLength: 1, maxLength: 63 })
    fc.assert(
      fc.property(fc.array(label, { minLength: 1, maxLength: 3 }), fc.nat(65_535), (labels, port) => {
        const name = `x${labels.join('.')}`.slice(0, 60)
        const rule = parseRuleHost(name)
        if (!rule.ok) return
        for (const spelling of [name, `${name}.`, `${name}:${port}`, `${name}.:${port}`, name.toUpperCase()]) {
          expect(parseAuthority(spelling)).to.equal(rule.value)
        }
      }),
    )
  })

  it('gives a host that it would read as itself, or none, for an authority cut anywhere', () => {
    for (const whole of ['shop.Team.example.:8080', '[2001:DB8::192.0.2.1]:443']) {
      for (let cut = 0; cut <= whole.length; cut += 1) {
        const host = parseAuthority(whole.slice(0, cut))
        if (host !== undefined) expect(parseAuthority(host)).to.equal(host)
      }
    }
  })
})

describe('parseServerName (R21-5)', () => {
  for (const [text, want] of [
    ['a.example', 'a.example'],
    ['A.Example', 'a.example'],
    ['a.example.', 'a.example'],
    ['a.example..', undefined],
    ['a.example:443', undefined],
    ['192.0.2.1', undefined],
    ['192.0.2.1.', undefined],
    ['2001:db8::1', undefined],
    ['[2001:db8::1]', undefined],
    ['a.example\0', undefined],
    ['a.example\0.b.example', undefined],
    ['*.example', undefined],
    [`${'a.'.repeat(150)}example`, undefined],
    ['', undefined],
    ['.', undefined],
  ] as const) {
    it(`reads ${JSON.stringify(text.length > 30 ? '300 characters' : text)} as ${want ?? 'none'}`, () => {
      expect(parseServerName(text)).to.equal(want)
    })
  }

  it('gives what Host gives for the same host, of whatever text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.domain(), fc.string()), (text) => {
        const name = parseServerName(text)
        if (name !== undefined) expect(parseAuthority(text)).to.equal(name)
      }),
    )
  })
})

describe('wildcardOver (R10-10)', () => {
  for (const [name, want] of [
    ['a.example', '*.example'],
    ['a.b.example', '*.b.example'],
    ['*.b.example', '*.b.example'],
    ['localhost', '*'],
  ] as const) {
    it(`says that ${want} takes ${name}`, () => expect(wildcardOver(name)).to.equal(want))
  }
})
