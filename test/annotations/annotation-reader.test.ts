import { expect } from 'chai'
import { AnnotationReader, type KnownAnnotations, MAX_VALUE_CHARS } from '../../src/annotations/annotation-reader.ts'
import type { AnnotationSpec } from '../../src/annotations/annotation-spec.ts'
import { integer, oneOf, readCidr } from '../../src/annotations/values.ts'
import { ok } from '../../src/lib/result.ts'

const NGINX = 'nginx.ingress.kubernetes.io/'
const RAMJET = 'ramjet.dev/'

/** A registry of its own: how a key is read does not hang on which keys are built. */
const SPECS: readonly AnnotationSpec[] = [
  spec(`${NGINX}tries`, { onBad: 'default' }),
  spec(`${NGINX}target`),
  spec(`${RAMJET}target`),
  spec(`${NGINX}prefix`, { needs: `${NGINX}target` }),
  spec(`${NGINX}allow`, { onBad: 'deny' }),
  spec(`${NGINX}old-allow`, { onBad: 'deny', aliasOf: `${NGINX}allow` }),
  spec(`${NGINX}lines`, { type: 'lines' }),
  spec(`${NGINX}later`, { built: false }),
  spec(`${NGINX}host`, { scope: 'host' }),
]

function spec(key: string, parts: Partial<AnnotationSpec> = {}): AnnotationSpec {
  return {
    key,
    rule: 'R11-1',
    type: 'text',
    defaultValue: undefined,
    nginxDefault: undefined,
    scope: 'location',
    onBad: 'ignore',
    valid: '',
    needs: undefined,
    aliasOf: undefined,
    tier: 1,
    built: true,
    guardsAccess: false,
    offValues: [],
    writtenByUs: false,
    ...parts,
  }
}

const KNOWN: KnownAnnotations = {
  find: (key) => SPECS.find((one) => one.key === key),
  twin: (key) => {
    const name = key.slice(key.indexOf('/') + 1)
    return SPECS.find((one) => one.key === (key.startsWith(NGINX) ? RAMJET : NGINX) + name)
  },
  aliases: (key) => SPECS.filter(({ aliasOf }) => aliasOf === key),
}

function reading(texts: Readonly<Record<string, string>>): AnnotationReader {
  return new AnnotationReader(new Map(Object.entries(texts)), KNOWN)
}

const anything = (text: string): ReturnType<typeof ok<string>> => ok(text)

describe('AnnotationReader', () => {
  it('R11-7: a good value is read without the blanks around it', () => {
    const reader = reading({ [`${NGINX}tries`]: ' 3 ' })
    expect(reader.nginx('tries', integer({ min: 0, max: 9 }))).to.equal(3)
    expect(reader.findings).to.deep.equal([])
  })

  it('R11-7: blanks only read as absent', () => {
    const reader = reading({ [`${NGINX}tries`]: ' \n ' })
    expect(reader.nginx('tries', integer({ min: 0, max: 9 }))).to.equal(undefined)
    expect(reader.findings).to.deep.equal([])
  })

  it('R11-9: a bad value of class default says that the default holds', () => {
    const reader = reading({ [`${NGINX}tries`]: '99' })
    expect(reader.nginx('tries', integer({ min: 0, max: 9 }))).to.equal(undefined)
    expect(reader.findings).to.deep.equal([
      {
        reason: 'InvalidAnnotation',
        key: `${NGINX}tries`,
        found: `${NGINX}tries is "99", which is above 9`,
        effect: 'its default holds',
      },
    ])
    expect(reader.closed.size).to.equal(0)
  })

  it('R11-9: a bad value of class ignore takes what needs it along', () => {
    const reader = reading({ [`${NGINX}target`]: 'up', [`${NGINX}prefix`]: 'p' })
    expect(reader.nginx('target', oneOf(['on']))).to.equal(undefined)
    expect(reader.nginx('prefix', anything)).to.equal(undefined)
    expect(reader.findings.map(({ key, effect }) => [key, effect])).to.deep.equal([
      [`${NGINX}target`, 'it does nothing'],
      [`${NGINX}prefix`, 'it does nothing'],
    ])
  })

  it('R11-9: a bad value of class deny closes its scope', () => {
    const reader = reading({ [`${NGINX}allow`]: 'nowhere' })
    expect(reader.nginx('allow', readCidr)).to.equal(undefined)
    expect([...reader.closed]).to.deep.equal(['location'])
    expect(reader.findings.map(({ reason, effect }) => [reason, effect])).to.deep.equal([
      ['AccessRuleInvalid', 'every path of this Ingress answers 503'],
    ])
  })

  it('R11-12: a key without the one that it needs does nothing and is told', () => {
    const reader = reading({ [`${NGINX}prefix`]: 'p' })
    expect(reader.nginx('prefix', anything)).to.equal(undefined)
    expect(reader.findings[0]?.found).to.equal(`${NGINX}prefix needs ${NGINX}target, which is not set or not valid`)
  })

  it('R11-12: the twin of what it needs will do', () => {
    const reader = reading({ [`${RAMJET}target`]: 't', [`${NGINX}prefix`]: 'p' })
    reader.ramjet('target', anything)
    expect(reader.nginx('prefix', anything)).to.equal('p')
  })

  it('R11-47: the ramjet.dev key of one name rules, also where its value is bad', () => {
    const texts = { [`${RAMJET}target`]: 'x', [`${NGINX}target`]: 'on' }
    const reader = reading(texts)
    expect(reader.ramjet('target', oneOf(['on']))).to.equal(undefined)
    expect(reader.nginx('target', oneOf(['on']))).to.equal(undefined)
    expect(reader.findings.map(({ reason, key }) => [reason, key])).to.deep.equal([
      ['InvalidAnnotation', `${RAMJET}target`],
      ['AnnotationShadowed', `${NGINX}target`],
    ])
  })

  it('R11-90: another spelling is read only where the key itself says nothing', () => {
    const older = { [`${NGINX}old-allow`]: '192.0.2.1' }
    expect(reading(older).nginx('allow', readCidr)).to.equal('192.0.2.1')
    expect(reading({ ...older, [`${NGINX}allow`]: ' ' }).nginx('allow', readCidr)).to.equal('192.0.2.1')
    expect(reading({ ...older, [`${NGINX}allow`]: '192.0.2.2' }).nginx('allow', readCidr)).to.equal('192.0.2.2')
  })

  it('R11-7: a value of 16 KiB is read, and none above', () => {
    const longest = 'x'.repeat(MAX_VALUE_CHARS)
    expect(reading({ [`${NGINX}target`]: longest }).nginx('target', anything)).to.equal(longest)
    const reader = reading({ [`${NGINX}target`]: `${longest}x` })
    expect(reader.nginx('target', anything)).to.equal(undefined)
    expect(reader.findings[0]?.found.length).to.be.below(300)
  })

  for (const end of ['\n', '\r', '\r\n']) {
    it(`R11-7: ${JSON.stringify(end)} is refused in a key of one line and read in a key of lines`, () => {
      const text = `a${end}b`
      expect(reading({ [`${NGINX}target`]: text }).nginx('target', anything)).to.equal(undefined)
      expect(reading({ [`${NGINX}lines`]: text }).nginx('lines', anything)).to.equal(text)
    })
  }

  it('R11-2: a key that is not built is not read', () => {
    const reader = reading({ [`${NGINX}later`]: 'x' })
    expect(reader.nginx('later', anything)).to.equal(undefined)
    expect(reader.findings).to.deep.equal([])
  })

  it('R11-7: of a list per entry the bad ones alone are dropped', () => {
    const reader = reading({ [`${NGINX}host`]: '192.0.2.1, nowhere,,192.0.2.2' })
    expect(reader.entries(`${NGINX}host`, readCidr, 10)).to.deep.equal(['192.0.2.1', '192.0.2.2'])
    expect(reader.findings.map(({ found }) => found)).to.deep.equal([
      `${NGINX}host has the entry "nowhere", which is neither an IP address nor a CIDR`,
    ])
  })

  it('R11-15: keeps the good texts of a scope, and no bad one', () => {
    const reader = reading({ [`${NGINX}host`]: ' a ', [`${NGINX}target`]: 't', [`${NGINX}tries`]: 'x' })
    reader.nginx('host', anything)
    reader.nginx('target', anything)
    reader.nginx('tries', integer({ min: 0, max: 1 }))
    expect([...reader.kept('host')]).to.deep.equal([[`${NGINX}host`, 'a']])
    expect([...reader.kept('location')]).to.deep.equal([[`${NGINX}target`, 't']])
  })

  it('R11-13: what its family rejects afterwards is not kept', () => {
    const reader = reading({ [`${NGINX}host`]: 'a' })
    reader.nginx('host', anything)
    reader.reject(`${NGINX}host`, 'stands beside another')
    expect(reader.kept('host').size).to.equal(0)
    expect(reader.isSet(`${NGINX}host`)).to.equal(false)
  })
})
