import { expect } from 'chai'
import type { HashKey } from '../../../src/model/route-table.ts'
import { hashPoint, type RequestFacts } from '../../../src/router/balance/hash-key.ts'

interface Given extends Partial<Omit<RequestFacts, 'header'>> {
  readonly headers?: Readonly<Record<string, string>>
}

function facts({ headers = {}, ...given }: Given = {}): RequestFacts {
  const fields = new Map(Object.entries(headers))
  const rest = { host: 'shop.example', path: '/', query: '', remoteAddress: '198.51.100.1' }
  return { ...rest, ...given, header: (name) => fields.get(name) }
}

function isSame(key: HashKey, one: Given, other: Given): boolean {
  return hashPoint(key, facts(one)) === hashPoint(key, facts(other))
}

describe('the point of a hash key', () => {
  for (const { what, key, one, other } of [
    { what: 'the host', key: { kind: 'host' }, one: { host: 'a.example' }, other: { host: 'b.example' } },
    { what: 'the path', key: { kind: 'uri' }, one: { path: '/a' }, other: { path: '/b' } },
    { what: 'the request URI', key: { kind: 'requestUri' }, one: { query: '?a=1' }, other: { query: '?a=2' } },
    {
      what: 'the client',
      key: { kind: 'remoteAddr' },
      one: { remoteAddress: '198.51.100.1' },
      other: { remoteAddress: '198.51.100.2' },
    },
    {
      what: 'a header',
      key: { kind: 'header', name: 'x-user' },
      one: { headers: { 'x-user': 'ann' } },
      other: { headers: { 'x-user': 'bob' } },
    },
    {
      what: 'a cookie',
      key: { kind: 'cookie', name: 'id' },
      one: { headers: { cookie: 'x=1; id=7' } },
      other: { headers: { cookie: 'x=1; id=8' } },
    },
    { what: 'an argument', key: { kind: 'query', name: 'id' }, one: { query: '?id=7' }, other: { query: '?id=8' } },
  ] as const) {
    it(`goes by ${what} (R20-138)`, () => {
      expect(isSame([key], one, one)).to.equal(true)
      expect(isSame([key], one, other)).to.equal(false)
    })
  }

  it('goes by nothing else', () => {
    expect(isSame([{ kind: 'uri' }], { query: '?a=1' }, { query: '?a=2', host: 'b.example' })).to.equal(true)
  })

  it('takes the first cookie and the first argument of a name, and that whole name', () => {
    const cookie: HashKey = [{ kind: 'cookie', name: 'id' }]
    expect(
      isSame(cookie, { headers: { cookie: 'xid=3; id=7; id=9' } }, { headers: { cookie: ' id=7 ;idx=4' } }),
    ).to.equal(true)
    const query: HashKey = [{ kind: 'query', name: 'id' }]
    expect(isSame(query, { query: '?idx=1&id=7&id=2' }, { query: '?id=7' })).to.equal(true)
    expect(isSame(query, { query: '?id=a=b' }, { query: '?id=a' })).to.equal(false)
  })

  it('counts what a request does not have as an empty text', () => {
    const key: HashKey = ['user ', { kind: 'header', name: 'x-user' }]
    expect(isSame(key, {}, { headers: { 'x-user': '' } })).to.equal(true)
    expect(isSame([{ kind: 'query', name: 'id' }], { query: '' }, { query: '?id' })).to.equal(true)
  })

  it('mixes text and variables in their order', () => {
    const key: HashKey = [{ kind: 'host' }, '/', { kind: 'uri' }]
    expect(isSame(key, { host: 'a', path: 'b' }, { host: 'b', path: 'a' })).to.equal(false)
  })

  it('lies in [0, 1) and spreads neighbours: 1,000 users over ten parts', () => {
    const counts = Array.from({ length: 10 }, () => 0)
    for (let user = 0; user < 1000; user += 1) {
      const point = hashPoint([{ kind: 'header', name: 'x-user' }], facts({ headers: { 'x-user': `user-${user}` } }))
      counts[Math.floor(point * 10)] = (counts[Math.floor(point * 10)] ?? 0) + 1
    }
    expect(counts.reduce((sum, count) => sum + count, 0)).to.equal(1000)
    for (const count of counts) expect(count).to.be.within(70, 130)
  })
})
