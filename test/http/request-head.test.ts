import { expect } from 'chai'
import * as fc from 'fast-check'
import type { Peer } from '../../src/http/forwarded.ts'
import type { Framing } from '../../src/http/framing.ts'
import { HeaderIndex, type HeaderList } from '../../src/http/header-list.ts'
import { upstreamRequestHead } from '../../src/http/request-head.ts'
import { buildCidrSet } from '../../src/lib/ip.ts'

const STRANGER: Peer = { address: '198.51.100.1', trusted: false }
const PROXY: Peer = { address: '192.0.2.1', trusted: true }
const TRUSTED = buildCidrSet(['192.0.2.0/24'])

interface Options {
  readonly peer?: Peer
  readonly framing?: Framing
  readonly upgrade?: boolean
  readonly underscoreHeaders?: 'drop' | 'keep' | 'reject'
}

function headOf(fields: HeaderList, options: Options = {}): HeaderList {
  const { peer = STRANGER, framing = { kind: 'none' }, upgrade = false, underscoreHeaders = 'drop' } = options
  const head = upstreamRequestHead(
    {
      index: new HeaderIndex(fields),
      framing,
      upgrade,
      hop: { peer, authority: 'a.example', port: 80, scheme: 'http', freshId: 'f'.repeat(32) },
    },
    { trustedProxies: TRUSTED, underscoreHeaders },
  )
  if (!head.ok) throw new Error(head.error)
  return head.value.fields
}

function namesOf(fields: HeaderList): readonly string[] {
  return fields.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase())
}

describe('upstreamRequestHead', () => {
  it('begins with a Host where the client sent none', () => {
    expect(headOf(['X', '1']).slice(0, 4)).to.deep.equal(['Host', 'a.example', 'X', '1'])
  })

  it('keeps each option of an upgrade on its line', () => {
    const sent = ['Connection', 'keep-alive, UPGRADE', 'Upgrade', 'a', 'Upgrade', 'b']
    expect(headOf(sent, { upgrade: true }).slice(2, 8)).to.deep.equal([
      'Connection',
      'UPGRADE',
      'Upgrade',
      'a',
      'Upgrade',
      'b',
    ])
  })

  it('loses a Trailer without chunks', () => {
    expect(namesOf(headOf(['Trailer', 'X']))).to.not.include('trailer')
    expect(namesOf(headOf(['Trailer', 'X'], { framing: { kind: 'chunked' } }))).to.include('trailer')
  })

  it('R20-45: what a trusted peer’s Connection takes away is written anew', () => {
    const fields = headOf(['X-Scheme', 'https', 'Connection', 'X-Scheme'], { peer: PROXY })
    expect(fields.slice(fields.indexOf('X-Scheme'))[1]).to.equal('http')
  })

  it('refuses a name with `_` where those are rejected', () => {
    expect(() => headOf(['a_b', '1'], { underscoreHeaders: 'reject' })).to.throw('underscore')
  })

  it('R20-39: names that alias ours by a dot are dropped under keep too', () => {
    expect(namesOf(headOf(['X.Forwarded_For', '1', 'a_b', '2'], { underscoreHeaders: 'keep' }))).to.not.include(
      'x.forwarded_for',
    )
  })

  const name = fc.constantFrom(
    'X-Forwarded-For', 'x-forwarded-host', 'X-Forwarded-Proto', 'X-Forwarded-New', 'X-Real-IP', 'X-Scheme',
    'X-Original-Uri', 'X-Original-Forwarded-For', 'Forwarded', 'X-Request-Id', 'Proxy', 'Connection', 'Keep-Alive', 'TE',
    'Upgrade', 'X_Real_IP', 'X.Real.IP', 'ssl-client-verify', 'X-Own', 'Cookie', 'Proxy-Connection',
  ) // biome-ignore format: a list of names
  const list = fc
    .array(fc.tuple(name, fc.constantFrom('a', '192.0.2.7', 'x-own, close', '')))
    .map((pairs) => pairs.flat())

  it('R20-51: says nothing of a stranger’s set but its trail of old claims', () => {
    fc.assert(
      fc.property(list, (fields) => {
        const head = headOf(fields.map((text, at) => (at % 2 === 1 ? `evil ${text}` : text)))
        for (let at = 0; at < head.length; at += 2) {
          const lower = (head[at] ?? '').toLowerCase()
          const isManaged = /^(?:x-forwarded-|x-real-ip|x-scheme|forwarded|proxy|ssl-client)/.test(lower)
          if (isManaged) expect(head[at + 1], lower).to.not.include('evil')
        }
      }),
    )
  })

  it('has each of our fields once, and none of the hop', () => {
    fc.assert(
      fc.property(list, fc.boolean(), (fields, trusted) => {
        const names = namesOf(headOf(fields, { peer: trusted ? PROXY : STRANGER }))
        for (const own of ['x-request-id', 'x-real-ip', 'x-forwarded-for', 'x-forwarded-port']) {
          expect(
            names.filter((one) => one === own),
            own,
          ).to.have.length(1)
        }
        for (const hop of ['connection', 'keep-alive', 'te', 'upgrade', 'proxy-connection', 'proxy']) {
          expect(names).to.not.include(hop)
        }
      }),
    )
  })

  it('R20-44: keeps all else in its order', () => {
    const plain = fc.array(fc.constantFrom('X-Own', 'x-own', 'Cookie', 'Via', 'Accept'))
    fc.assert(
      fc.property(plain, (names) => {
        const fields = ['Host', 'a.example', ...names.flatMap((one, at) => [one, String(at)])]
        expect(headOf(fields).slice(0, fields.length)).to.deep.equal(fields)
      }),
    )
  })
})
