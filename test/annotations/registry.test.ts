import { expect } from 'chai'
import { NEVER_KEYS } from '../../src/annotations/never-keys.ts'
import { ANNOTATIONS, findAnnotation, NGINX_PREFIX, namesUnder, RAMJET_PREFIX } from '../../src/annotations/registry.ts'

// The keys that R11-163 names by their class: what guards access, written out so that a slip in the table shows.
const GUARDS = {
  location: [
    'allowlist-source-range',
    'whitelist-source-range',
    'denylist-source-range',
    'auth-type',
    'auth-secret',
    'auth-secret-type',
    'auth-url',
    'auth-method',
    'auth-response-headers',
    'auth-proxy-set-headers',
    'limit-rps',
    'limit-rpm',
    'limit-connections',
  ],
  host: ['auth-tls-secret', 'auth-tls-match-cn'],
  backend: ['proxy-ssl-secret', 'proxy-ssl-verify', 'proxy-ssl-name'],
}

describe('the registry of annotations', () => {
  it('R11-1: no key stands in it twice', () => {
    expect(new Set(ANNOTATIONS.map(({ key }) => key)).size).to.equal(ANNOTATIONS.length)
  })

  it('R11-1: what a key needs, and what it is another spelling of, are in it too', () => {
    const named = ANNOTATIONS.flatMap(({ needs, aliasOf }) => [needs ?? [], aliasOf ?? []].flat())
    expect(named.filter((key) => !findAnnotation(key))).to.deep.equal([])
  })

  for (const [scope, names] of Object.entries(GUARDS)) {
    it(`R11-163: the guards of scope ${scope} are these`, () => {
      const guards = ANNOTATIONS.filter((spec) => spec.guardsAccess && spec.scope === scope)
      expect(guards.map(({ key }) => key)).to.have.members(names.map((name) => NGINX_PREFIX + name))
    })
  }

  it('R11-10: a key of class default has a default, or is unset on purpose', () => {
    const without = ANNOTATIONS.filter(({ onBad, defaultValue }) => onBad === 'default' && defaultValue === undefined)
    expect(without.map(({ key }) => key)).to.deep.equal([
      `${NGINX_PREFIX}use-regex`,
      `${NGINX_PREFIX}proxy-next-upstream`,
      `${RAMJET_PREFIX}auto-promote-latency-percentile`,
      `${RAMJET_PREFIX}use-regex`,
    ])
  })

  it('R11-2: a key that is never read is not in the registry', () => {
    const names = new Set(namesUnder(NGINX_PREFIX))
    expect(NEVER_KEYS.filter(({ name }) => names.has(name))).to.deep.equal([])
  })

  it('R11-156: what Ramjet writes itself is offered to nobody', () => {
    expect(namesUnder(RAMJET_PREFIX)).to.include('auto-promote').and.not.include('observed-generation')
  })
})
