import { expect } from 'chai'
import { decisionOf } from '../../src/router/host-routes.ts'
import type { AskedUrl } from '../../src/router/redirect.ts'
import { type SendLimits, type SentOn, sendOn } from '../../src/router/send-on.ts'
import { prefix } from '../builders/route-table.ts'

const ASKED: AskedUrl = { scheme: 'http', authority: 'Shop.example:8080', path: '/a%2Fb', query: '?c=d&e' }
const LIMITS: SendLimits = { maxTargetBytes: 100, httpsPort: 443 }

function sent(asked: Partial<AskedUrl> = {}, limits: Partial<SendLimits> = {}): SentOn | string {
  const decision = decisionOf(prefix('', { httpsFirst: true }), true)
  if (decision.kind !== 'https-first') throw new Error('a route that sends to https was asked for')
  const found = sendOn(decision, { ...ASKED, ...asked }, { ...LIMITS, ...limits })
  return found.ok ? found.value : found.error
}

describe('sendOn', () => {
  it('R11-57: answers 308 with the same host, path and query by https', () => {
    expect(sent()).to.deep.equal({ status: 308, location: 'https://Shop.example/a%2Fb?c=d&e' })
  })

  for (const [authority, host] of [
    ['shop.example', 'shop.example'],
    ['shop.example:', 'shop.example'],
    ['shop.example.:80', 'shop.example.'],
    ['192.0.2.1:8080', '192.0.2.1'],
    ['[2001:db8::1]', '[2001:db8::1]'],
    ['[2001:db8::1]:8080', '[2001:db8::1]'],
  ] as const) {
    it(`leaves the port of ${authority} out`, () => {
      expect(sent({ authority })).to.have.property('location', `https://${host}/a%2Fb?c=d&e`)
    })
  }

  it('R20-16: names the port that clients dial by TLS, where it is another than 443', () => {
    expect(sent({}, { httpsPort: 8443 })).to.have.property('location', 'https://Shop.example:8443/a%2Fb?c=d&e')
  })

  it('R20-82: above the limit of a target it is too long', () => {
    expect(sent({ path: `/${'a'.repeat(93)}` })).to.have.property('status', 308)
    expect(sent({ path: `/${'a'.repeat(94)}` })).to.equal('target-too-long')
  })

  it('a request that names no host has nowhere to go', () => {
    expect(sent({ authority: '' })).to.equal('malformed')
  })

  it('71 #227: what could end the line is encoded', () => {
    expect(sent({ query: '?a=\xe9\r' })).to.have.property('location', 'https://Shop.example/a%2Fb?a=%E9%0D')
  })

  it('R11-157: what is decided for those by https stands behind it, and a route without it has one decision', () => {
    const route = prefix('/a', { httpsFirst: true })
    expect(decisionOf(route, true)).to.deep.include({ kind: 'https-first', matched: true })
    const { httpsFirst: _, ...plain } = route
    expect(decisionOf(plain, false)).to.deep.include({ kind: 'forward', matched: false })
  })
})
