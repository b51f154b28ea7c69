import { expect } from 'chai'
import type { AnnotationSpec } from '../../src/annotations/annotation-spec.ts'
import { NEVER_KEYS } from '../../src/annotations/never-keys.ts'
import { ANNOTATIONS, findAnnotation, NGINX_PREFIX, namesUnder, RAMJET_PREFIX } from '../../src/annotations/registry.ts'
import { REGISTRY_TABLE, type TableRow } from './registry-table.ts'

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

// What does nothing without another key.
const NEEDS = {
  'canary-by-header': ['canary-by-header-value', 'canary-by-header-pattern'],
  'upstream-hash-by': ['upstream-hash-by-subset', 'upstream-hash-by-subset-size'],
  'rewrite-target': ['x-forwarded-prefix'],
  'auth-type': ['auth-secret', 'auth-secret-type', 'auth-realm'],
  'auth-url': [
    'auth-method',
    'auth-response-headers',
    'auth-proxy-set-headers',
    'auth-signin',
    'auth-signin-redirect-param',
    'auth-request-redirect',
    'auth-cache-key',
    'auth-cache-duration',
    'auth-always-set-cookie',
  ],
  'enable-cors': [
    'cors-allow-origin',
    'cors-allow-methods',
    'cors-allow-headers',
    'cors-expose-headers',
    'cors-allow-credentials',
    'cors-max-age',
  ],
  'auth-tls-secret': [
    'auth-tls-verify-client',
    'auth-tls-verify-depth',
    'auth-tls-error-page',
    'auth-tls-pass-certificate-to-upstream',
    'auth-tls-match-cn',
  ],
  'proxy-ssl-secret': [
    'proxy-ssl-verify',
    'proxy-ssl-name',
    'proxy-ssl-verify-depth',
    'proxy-ssl-server-name',
    'proxy-ssl-protocols',
    'proxy-ssl-ciphers',
  ],
  'mirror-backend': ['mirror-host', 'mirror-percent'],
  'auto-promote': [
    'auto-promote-interval',
    'auto-promote-steps',
    'auto-promote-max-5xx-percent',
    'auto-promote-max-latency-factor',
    'auto-promote-min-requests',
    'auto-promote-latency-percentile',
  ],
}

describe('the registry of annotations', () => {
  it('R11-1: no key stands in it twice', () => {
    expect(new Set(ANNOTATIONS.map(({ key }) => key)).size).to.equal(ANNOTATIONS.length)
  })

  it('R11-1: has the keys of the tables and no other', () => {
    expect(ANNOTATIONS.map(({ key }) => key)).to.have.members(REGISTRY_TABLE.map(({ key }) => key))
  })

  for (const row of REGISTRY_TABLE) {
    it(`${row.rule}: ${row.key} has the default, the scope and the class of the tables (R11-1)`, () => {
      expect(ANNOTATIONS.filter(({ key }) => key === row.key).map(rowOf)).to.deep.equal([row])
    })
  }

  for (const [need, names] of Object.entries(NEEDS)) {
    it(`R11-12: these need ${need}`, () => {
      const needing = ANNOTATIONS.filter(({ needs }) => needs?.endsWith(`/${need}`))
      expect(needing.map(({ key }) => key.slice(key.indexOf('/') + 1))).to.have.members(names)
    })
  }

  it('R11-12: and no other key needs one', () => {
    expect(ANNOTATIONS.filter(({ needs }) => needs !== undefined)).to.have.length(Object.values(NEEDS).flat().length)
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

function rowOf({ rule, key, defaultValue = '-', scope, onBad }: AnnotationSpec): TableRow {
  return { rule, key, defaultValue, scope, onBad }
}
