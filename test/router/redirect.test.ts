import { expect } from 'chai'
import type { RedirectTarget } from '../../src/model/policy.ts'
import type { PathMatch } from '../../src/model/route-table.ts'
import { decisionOf } from '../../src/router/host-routes.ts'
import { type AskedUrl, redirectLocation } from '../../src/router/redirect.ts'
import { prefix } from '../builders/route-table.ts'

const ASKED: AskedUrl = { scheme: 'http', authority: 'Shop.example:8080', path: '/a/b', query: '?c=d' }

function locationOf(
  target: Partial<RedirectTarget>,
  asked: Partial<AskedUrl> = {},
  match: PathMatch = { type: 'Prefix', value: '' },
): string {
  const location = { base: 'url', template: [], keepsQuery: false, ...target } as const
  const decision = decisionOf(prefix('', { match, action: { kind: 'redirect', status: 302, location } }), true)
  if (decision.kind !== 'redirect') throw new Error('a route that redirects was asked for')
  const found = redirectLocation(decision, { ...ASKED, ...asked }, { maxTargetBytes: 100 })
  return found.ok ? found.value : found.error
}

describe('redirectLocation', () => {
  it('R11-46: a URL takes the query along', () => {
    const target = { template: ['https://new.example/'], keepsQuery: true }
    expect(locationOf(target)).to.equal('https://new.example/?c=d')
  })

  it('R11-46: captures of the path that chose the route stand in it', () => {
    const match = { type: 'Regex', pattern: '/a/(.*)' } as const
    expect(locationOf({ template: ['https://new.example/', 1] }, {}, match)).to.equal('https://new.example/b')
  })

  it('R11-48: a path of the origin has the authority as the client wrote it, and no query', () => {
    const target = { base: 'origin', template: ['/app'] } as const
    expect(locationOf(target)).to.equal('http://Shop.example:8080/app')
    expect(locationOf(target, { scheme: 'https' })).to.equal('https://Shop.example:8080/app')
  })

  it('is a path alone where the request named no authority', () => {
    expect(locationOf({ base: 'origin', template: ['/app'] }, { authority: '' })).to.equal('/app')
  })

  it('71 #227: what could end the line is encoded', () => {
    expect(locationOf({ template: ['https://new.example/\r\nX: y'] })).to.equal('https://new.example/%0D%0AX:%20y')
    const query = { query: '?a=\xe9\x7f' }
    expect(locationOf({ template: ['https://new.example/'], keepsQuery: true }, query)).to.equal(
      'https://new.example/?a=%E9%7F',
    )
  })

  it('R20-82: above the limit of a target it is too long', () => {
    expect(locationOf({ template: ['https://new.example/', 'a'.repeat(80)] })).to.have.lengthOf(100)
    expect(locationOf({ template: ['https://new.example/', 'a'.repeat(81)] })).to.equal('target-too-long')
  })
})
