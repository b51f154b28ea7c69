import { expect } from 'chai'
import {
  duration,
  integer,
  listOf,
  objectName,
  oneOf,
  type Parser,
  readBool,
  readCidr,
  readFieldName,
  readPattern,
  readUrl,
  seconds,
  size,
} from '../../src/annotations/values.ts'

const MIB = 1024 * 1024

interface ValueCase {
  readonly type: string
  readonly parse: Parser<unknown>
  readonly good: readonly (readonly [text: string, value: unknown])[]
  readonly bad: readonly string[]
}

const CASES: readonly ValueCase[] = [
  {
    type: 'bool',
    parse: readBool,
    good: [
      ['true', true],
      ['FALSE', false],
      [' True ', true],
    ],
    bad: ['1', 't', 'yes', 'on', 'true false'],
  },
  {
    type: 'int of -5 to 100',
    parse: integer({ min: -5, max: 100 }),
    good: [
      ['0', 0],
      ['+100', 100],
      ['-5', -5],
      ['007', 7],
      ['00000000000000000007', 7],
    ],
    bad: ['-6', '101', '1.5', '1e1', '5s', '0x10', '９', '99999999999999999999'],
  },
  {
    type: 'secs',
    parse: seconds(1),
    good: [
      ['1', 1000],
      ['2147483', 2_147_483_000],
      ['99999999', 2_147_483_000],
      ['99999999999999999999', 2_147_483_000],
    ],
    bad: ['0', '-1', '5s', '1.5', ''],
  },
  {
    type: 'size up to 1m',
    parse: size(MIB),
    good: [
      ['0', 0],
      ['8k', 8192],
      ['8K', 8192],
      ['512b', 512],
      ['1m', MIB],
    ],
    bad: ['1g', '1048577', '8kb', 'b', '-1', '1.5k', '8 k'],
  },
  {
    type: 'duration',
    parse: duration(100),
    good: [
      ['100ms', 100],
      ['5s', 5000],
      ['1.5m', 90_000],
    ],
    bad: ['5', '99ms', '0s', '5 s', '-5s', 'soon'],
  },
  {
    type: 'word',
    parse: oneOf(['on', 'off']),
    good: [
      ['on', 'on'],
      ['OFF', 'off'],
    ],
    bad: ['true', 'o', 'on off'],
  },
  {
    type: 'list of addresses',
    parse: listOf(readCidr, /\s*,\s*/),
    good: [
      ['192.0.2.0/24, 2001:db8::1', ['192.0.2.0/24', '2001:db8::1']],
      ['192.0.2.1', ['192.0.2.1']],
    ],
    bad: ['192.0.2.0/33', '192.0.2.1,nowhere', ','],
  },
  {
    type: 'header',
    parse: readFieldName,
    good: [['X-Canary', 'x-canary']],
    bad: ['a b', 'Connection', 'Content-Length', 'host', 'te', ''],
  },
  {
    type: 'url',
    parse: readUrl,
    good: [
      ['https://a.example/b?c=d', 'https://a.example/b?c=d'],
      ['HTTP://a.example', 'HTTP://a.example'],
    ],
    bad: [
      '//a.example',
      'ftp://a.example',
      'https://',
      'https://u:p@a.example/',
      'https://a.example/ b',
      'https://[x]/',
    ],
  },
  { type: 'pattern', parse: readPattern, good: [['a+b?', 'a+b?']], bad: ['a)', '(?=a)', 'a'.repeat(513)] },
  {
    type: 'object',
    parse: objectName('shop'),
    good: [
      ['users', 'users'],
      ['shop/users', 'users'],
    ],
    bad: ['other/users', 'a/b/c', '/users', 'shop/'],
  },
]

describe('values of annotations (R11-7)', () => {
  for (const { type, parse, good, bad } of CASES) {
    for (const [text, value] of good) {
      it(`${type}: ${JSON.stringify(text)} is good`, () => {
        expect(parse(text)).to.deep.equal({ ok: true, value })
      })
    }
    for (const text of bad) {
      it(`${type}: ${JSON.stringify(text.slice(0, 30))} is bad`, () => {
        expect(parse(text).ok).to.equal(false)
      })
    }
  }

  it('a list says which of its entries is bad', () => {
    expect(listOf(readCidr)('192.0.2.1,nowhere')).to.deep.equal({
      ok: false,
      error: 'has an entry "nowhere", which is neither an IP address nor a CIDR',
    })
  })
})
