import { expect } from 'chai'
import { type BackendTraits, backendTraits } from '../../src/annotations/backend-traits.ts'
import { parseAnnotations } from '../../src/annotations/parse.ts'
import type { ClassFields } from '../../src/model/class-fields.ts'

const NGINX = 'nginx.ingress.kubernetes.io/'
const RAMJET = 'ramjet.dev/'
const CHECK = { path: '/', intervalMs: 5000, timeoutMs: 1000, healthy: 1, unhealthy: 3, statuses: [[200, 399]] }

/** Keys of ours begin with `+`, those of ingress-nginx stand bare. */
type Short = Readonly<Record<string, string>>

function keysOf(short: Short): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(short).map(([key, value]) => [key.startsWith('+') ? RAMJET + key.slice(1) : NGINX + key, value]),
  )
}

/** What one object alone, whose port nobody else names, comes to. */
function traits(short: Short, fields: ClassFields = {}): BackendTraits {
  return backendTraits(parseAnnotations(keysOf(short), 'shop').backendTexts, fields)
}

function findings(short: Short): readonly string[] {
  return parseAnnotations(keysOf(short), 'shop').findings.map(
    ({ reason, key, found, effect }) => `${reason} ${key.replace(RAMJET, '+').replace(NGINX, '')}: ${found}; ${effect}`,
  )
}

describe('the traits of a Service port', () => {
  it('are round robin and nothing else where nobody says anything', () => {
    expect(traits({})).to.deep.equal({ policy: 'roundRobin' })
  })

  describe('load-balance', () => {
    for (const [text, policy] of [
      ['round_robin', 'roundRobin'],
      ['ewma', 'ewma'],
      ['leastConn', 'leastConn'],
      ['p2c', 'random'],
      [' lt ', 'ewma'],
    ] as const) {
      it(`R11-30: ${text} is ${policy}`, () => {
        expect(traits({ 'load-balance': text })).to.deep.equal({ policy })
        expect(findings({ 'load-balance': text })).to.deep.equal([])
      })
    }

    it('R11-30: takes a hash with its key', () => {
      expect(traits({ 'load-balance': 'hash:$cookie_user' }).policy).to.deep.equal({
        kind: 'hash',
        key: [{ kind: 'cookie', name: 'user' }],
      })
    })

    it('R20-139: a hash without key goes by the key of the class, else by the client', () => {
      expect(traits({ 'load-balance': 'hash' }).policy).to.deep.equal({ kind: 'hash', key: [{ kind: 'remoteAddr' }] })
      expect(traits({ 'load-balance': 'hrw' }, { loadBalancingKey: 'header:X-User' }).policy).to.deep.equal({
        kind: 'hash',
        key: [{ kind: 'header', name: 'x-user' }],
      })
    })

    it('R11-9: a bad value reads as absent: what the class sets holds', () => {
      expect(traits({ 'load-balance': 'fastest' })).to.deep.equal({ policy: 'roundRobin' })
      expect(traits({ 'load-balance': 'fastest' }, { loadBalancing: 'lc' })).to.deep.equal({ policy: 'leastConn' })
      expect(findings({ 'load-balance': 'fastest' })).to.deep.equal([
        'InvalidAnnotation load-balance: nginx.ingress.kubernetes.io/load-balance is "fastest", ' +
          'which is none of roundRobin, leastConn, random, ewma, hash; its default holds',
      ])
    })

    it('R11-17: is stronger than the class', () => {
      const fields: ClassFields = { loadBalancing: 'hash', loadBalancingKey: 'host' }
      expect(traits({}, fields).policy).to.deep.equal({ kind: 'hash', key: [{ kind: 'host' }] })
      expect(traits({ 'load-balance': 'rr' }, fields).policy).to.equal('roundRobin')
    })
  })

  describe('upstream-hash-by', () => {
    const byUri = { kind: 'hash', key: [{ kind: 'requestUri' }] }

    it('R11-31, R11-38: is stronger than load-balance', () => {
      const both = { 'upstream-hash-by': '$request_uri', 'load-balance': 'ewma' }
      expect(traits(both).policy).to.deep.equal(byUri)
      expect(findings(both)).to.deep.equal([])
    })

    it('R11-10: a bad value turns it off, and load-balance holds', () => {
      const bad = { 'upstream-hash-by': 'request_uri', 'load-balance': 'ewma' }
      expect(traits(bad).policy).to.equal('ewma')
      expect(findings(bad)).to.deep.equal([
        'InvalidAnnotation upstream-hash-by: nginx.ingress.kubernetes.io/upstream-hash-by is "request_uri", ' +
          'which names no variable to hash by; it does nothing',
      ])
    })

    it('R11-38: does nothing beside service-upstream, and is told', () => {
      const both = { 'upstream-hash-by': '$uri', 'service-upstream': 'true' }
      expect(traits(both)).to.deep.equal({ policy: 'roundRobin', dialsService: true })
      expect(findings(both)).to.have.length(1)
    })
  })

  describe('service-upstream and routingMode', () => {
    it('R11-33, R50-17: dial the cluster IP', () => {
      expect(traits({ 'service-upstream': 'true' }).dialsService).to.equal(true)
      expect(traits({}, { routingMode: 'service' }).dialsService).to.equal(true)
      expect(traits({ 'service-upstream': 'false' }, { routingMode: 'service' }).dialsService).to.equal(undefined)
      expect(traits({ 'service-upstream': 'maybe' }, { routingMode: 'service' }).dialsService).to.equal(true)
    })
  })

  describe('slow-start', () => {
    it('R11-145: is a duration', () => {
      expect(traits({ '+slow-start': '30s' }).slowStartMs).to.equal(30_000)
      expect(traits({ '+slow-start': '30' }).slowStartMs).to.equal(undefined)
      expect(findings({ '+slow-start': '30' })[0]).to.match(/^InvalidAnnotation \+slow-start: .*; it does nothing$/)
    })
  })

  describe('health', () => {
    it('R20-150: a path asks for checks, with the defaults of the table', () => {
      expect(traits({ '+health-check-path': '/ok?deep=1' }).healthCheck).to.deep.equal({ ...CHECK, path: '/ok?deep=1' })
    })

    it('R11-142, R11-143: takes every field', () => {
      const short = {
        '+health-check-path': '/ok',
        '+health-check-interval': '1.5s',
        '+health-check-timeout': '200ms',
        '+health-check-healthy': '2',
        '+health-check-unhealthy': '5',
        '+health-check-status': '200, 300-302',
      }
      expect(traits(short).healthCheck).to.deep.equal({
        path: '/ok',
        intervalMs: 1500,
        timeoutMs: 200,
        healthy: 2,
        unhealthy: 5,
        statuses: [
          [200, 200],
          [300, 302],
        ],
      })
      expect(findings(short)).to.deep.equal([])
    })

    it('R20-148: health-mode: probe runs the check of the class, else GET / every 5 s', () => {
      const ofClass = { ...CHECK, path: '/class', host: 'check.example', statuses: [[204, 204] as const] }
      expect(traits({ '+health-mode': 'probe' }).healthCheck).to.deep.equal(CHECK)
      expect(traits({ '+health-mode': 'PROBE' }, { healthCheck: ofClass }).healthCheck).to.deep.equal(ofClass)
      expect(traits({}, { healthMode: 'probe', healthCheck: ofClass }).healthCheck).to.deep.equal(ofClass)
      expect(traits({}, { healthCheck: ofClass }).healthCheck).to.equal(undefined)
    })

    it('R20-148: a path of its own leaves the check of the class alone', () => {
      const fields: ClassFields = {
        healthMode: 'probe',
        healthCheck: { ...CHECK, statuses: [], host: 'check.example' },
      }
      expect(traits({ '+health-check-path': '/own' }, fields).healthCheck).to.deep.equal({ ...CHECK, path: '/own' })
    })

    it('R11-17: health-mode: provider on an object is stronger than probe of the class', () => {
      expect(traits({ '+health-mode': 'provider' }, { healthMode: 'probe' })).to.deep.equal({ policy: 'roundRobin' })
    })

    for (const key of ['interval', 'timeout', 'healthy', 'unhealthy', 'status']) {
      it(`R11-12: health-check-${key} means nothing where nothing is checked, and is told`, () => {
        const value = key === 'interval' || key === 'timeout' ? '10s' : '200'
        const short = { [`+health-check-${key}`]: key === 'healthy' || key === 'unhealthy' ? '2' : value }
        expect(traits(short)).to.deep.equal({ policy: 'roundRobin' })
        expect(findings(short)).to.have.length(1)
        expect(findings(short)[0]).to.include('means nothing without ramjet.dev/health-check-path')
      })
    }

    it('R11-9: a bad value of one key leaves the others as they are', () => {
      const short = {
        '+health-check-path': '/ok',
        '+health-check-interval': '10ms',
        '+health-check-status': '2xx',
        '+health-check-unhealthy': '101',
        '+health-check-timeout': '2s',
      }
      expect(traits(short).healthCheck).to.deep.equal({ ...CHECK, path: '/ok', timeoutMs: 2000 })
      expect(findings(short).map((text) => text.split(':')[0])).to.deep.equal([
        'InvalidAnnotation +health-check-interval',
        'InvalidAnnotation +health-check-status',
        'InvalidAnnotation +health-check-unhealthy',
      ])
    })

    it('R11-10: a bad path turns the check off, and with it what needs it', () => {
      const short = { '+health-check-path': 'ok', '+health-check-interval': '10s' }
      expect(traits(short).healthCheck).to.equal(undefined)
      expect(findings(short)).to.have.length(2)
    })
  })
})
