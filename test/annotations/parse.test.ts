import { expect } from 'chai'
import { parseAnnotations } from '../../src/annotations/parse.ts'

function findingsOf(keys: readonly string[]): ReturnType<typeof parseAnnotations>['findings'] {
  return parseAnnotations(new Map(keys.map((key) => [key, 'x'])), 'shop').findings
}

describe('parseAnnotations', () => {
  it('tells of twenty keys outside the registry one by one and of the rest at once', () => {
    const keys = Array.from({ length: 9_000 }, (_none, at) => `ramjet.dev/x${String(at).padStart(5, '0')}`)
    const findings = findingsOf(keys)
    expect(findings).to.have.lengthOf(21)
    expect(findings.at(-1)).to.deep.equal({
      reason: 'UnknownAnnotation',
      key: 'ramjet.dev/x00020',
      found: '8980 more keys, ramjet.dev/x00020 the first of them, are not read either',
      effect: 'they do nothing',
    })
  })

  it('hides no key that changes who may get in behind unknown ones', () => {
    const unknown = Array.from({ length: 100 }, (_none, at) => `nginx.ingress.kubernetes.io/a${at}`)
    const findings = findingsOf([
      ...unknown,
      'nginx.ingress.kubernetes.io/auth-url',
      'nginx.ingress.kubernetes.io/enable-modsecurity',
    ])
    expect(findings.slice(0, 2).map(({ reason, key }) => [reason, key])).to.deep.equal([
      ['AccessRuleInvalid', 'nginx.ingress.kubernetes.io/auth-url'],
      ['UnsupportedAnnotation', 'nginx.ingress.kubernetes.io/enable-modsecurity'],
    ])
    expect(findings).to.have.lengthOf(1 + 21)
  })
})
