import { expect } from 'chai'
import { ANNOTATIONS } from '../../src/annotations/registry.ts'
import { ingress } from '../builders/ingress.ts'
import { secret } from '../builders/secret.ts'
import { makeCertificate } from '../fakes/certificates.ts'
import { ask, told } from './ask.ts'
import { compileCluster } from './cluster.ts'

const NGINX = 'nginx.ingress.kubernetes.io/'
const RAMJET = 'ramjet.dev/'

const PAIR = makeCertificate(['client.example'])
const UPSTREAM = secret('shop/upstream', { 'ca.crt': PAIR.cert, 'tls.crt': PAIR.cert, 'tls.key': PAIR.key })

interface Sample {
  readonly good: string
  readonly bad: string
  /** What it needs to show an effect. */
  readonly beside?: Readonly<Record<string, string>>
  /** Both of its values act alike. */
  readonly isInert?: true
}

const REWRITES = { [`${NGINX}rewrite-target`]: '/v2' }
const BUFFERS = { [`${NGINX}proxy-request-buffering`]: 'on' }
const PLAIN_HTTPS = { [`${NGINX}backend-protocol`]: 'HTTPS' }
const HTTPS = { [`${NGINX}backend-protocol`]: 'HTTPS', [`${NGINX}proxy-ssl-secret`]: 'upstream' }
const VERIFIED = { ...HTTPS, [`${NGINX}proxy-ssl-verify`]: 'on' }
const CHECKS = { [`${RAMJET}health-check-path`]: '/healthz' }

const SAMPLES: Readonly<Record<string, Sample>> = {
  [`${NGINX}load-balance`]: { good: 'ewma', bad: 'fastest' },
  [`${NGINX}upstream-hash-by`]: { good: '$remote_addr', bad: '$nothing' },
  [`${NGINX}service-upstream`]: { good: 'true', bad: 'yes' },
  [`${NGINX}backend-protocol`]: { good: 'grpc', bad: 'TCP' },
  [`${NGINX}proxy-ssl-secret`]: { good: 'upstream', bad: 'bank/upstream', beside: PLAIN_HTTPS },
  [`${NGINX}proxy-ssl-verify`]: { good: 'on', bad: 'true', beside: HTTPS },
  [`${NGINX}proxy-ssl-name`]: { good: 'web.internal', bad: '*.internal', beside: VERIFIED },
  [`${NGINX}proxy-ssl-verify-depth`]: { good: '3', bad: '21', beside: VERIFIED },
  [`${NGINX}proxy-ssl-server-name`]: { good: 'on', bad: 'true', beside: VERIFIED },
  [`${NGINX}proxy-ssl-protocols`]: { good: 'TLSv1.3', bad: 'TLSv1 TLSv1.2', beside: VERIFIED },
  [`${NGINX}proxy-ssl-ciphers`]: { good: 'HIGH:!aNULL', bad: 'NO-SUCH-CIPHER', beside: VERIFIED },
  [`${NGINX}rewrite-target`]: { good: '/v2', bad: 'v2' },
  [`${NGINX}use-regex`]: { good: 'true', bad: '1' },
  [`${NGINX}app-root`]: { good: '/app', bad: '/$1' },
  [`${NGINX}x-forwarded-prefix`]: { good: '/p', bad: '/p q', beside: REWRITES },
  [`${NGINX}server-alias`]: { good: 'other.example', bad: '~.*' },
  [`${NGINX}ssl-redirect`]: { good: 'true', bad: 'on' },
  [`${NGINX}force-ssl-redirect`]: { good: 'true', bad: '1' },
  [`${NGINX}ssl-passthrough`]: { good: 'true', bad: 'yes' },
  [`${NGINX}ssl-ciphers`]: { good: 'ECDHE-RSA-AES128-GCM-SHA256', bad: 'NO-SUCH-CIPHER' },
  [`${NGINX}ssl-prefer-server-ciphers`]: { good: 'true', bad: 'on' },
  [`${NGINX}proxy-connect-timeout`]: { good: '9', bad: '9s' },
  [`${NGINX}proxy-read-timeout`]: { good: '9', bad: '0' },
  [`${NGINX}proxy-send-timeout`]: { good: '9', bad: '-1' },
  [`${NGINX}proxy-body-size`]: { good: '9m', bad: '9mb' },
  [`${NGINX}client-body-buffer-size`]: { good: '9k', bad: '2m', beside: BUFFERS },
  [`${NGINX}proxy-request-buffering`]: { good: 'on', bad: 'true' },
  [`${NGINX}proxy-buffering`]: { good: 'on', bad: 'true', isInert: true },
  [`${NGINX}proxy-buffer-size`]: { good: '64k', bad: '2m' },
  [`${NGINX}proxy-next-upstream`]: { good: 'error http_502', bad: 'always' },
  [`${NGINX}proxy-next-upstream-tries`]: { good: '5', bad: '101' },
  [`${NGINX}proxy-next-upstream-timeout`]: { good: '5', bad: '5s' },
  [`${RAMJET}health-check-path`]: { good: '/healthz', bad: 'healthz' },
  [`${RAMJET}health-check-interval`]: { good: '9s', bad: '9', beside: CHECKS },
  [`${RAMJET}health-check-timeout`]: { good: '2s', bad: 'soon', beside: CHECKS },
  [`${RAMJET}health-check-healthy`]: { good: '2', bad: '0', beside: CHECKS },
  [`${RAMJET}health-check-unhealthy`]: { good: '5', bad: '101', beside: CHECKS },
  [`${RAMJET}health-check-status`]: { good: '200-299', bad: '2xx', beside: CHECKS },
  [`${RAMJET}health-mode`]: { good: 'probe', bad: 'both' },
  [`${RAMJET}slow-start`]: { good: '30s', bad: '30' },
  [`${RAMJET}rewrite-target`]: { good: '/v2', bad: '/$1' },
  [`${RAMJET}use-regex`]: { good: 'true', bad: 'on' },
}

const built = ANNOTATIONS.filter(({ key, built: acts }) => acts && (key.startsWith(NGINX) || key.startsWith(RAMJET)))

function compileWith(annotations: Readonly<Record<string, string>>): ReturnType<typeof compileCluster> {
  const asks = ingress('shop/web')
    .host('a.example')
    .path('/x', 'web:80')
    .path('/', 'api:80')
    .free('/free', 'api:80')
    .tls(undefined, 'a.example')
  for (const [key, value] of Object.entries(annotations)) asks.annotate(key, value)
  return compileCluster({ ingresses: [asks], secrets: [UPSTREAM] })
}

/** What is told with `beside` alone is not about the key. */
function toldBeyond(
  result: ReturnType<typeof compileCluster>,
  without: ReturnType<typeof compileCluster>,
): readonly string[] {
  const before = new Set(told(without.warnings))
  return told(result.warnings).filter((line) => !before.has(line))
}

describe('every annotation that is built (R11-161)', () => {
  it('has its samples here', () => {
    expect(Object.keys(SAMPLES)).to.have.members(built.map(({ key }) => key))
  })

  for (const { key, onBad, scope } of built) {
    const sample = SAMPLES[key]
    if (!sample) continue
    const { good, bad, beside = {}, isInert = false } = sample
    const without = compileWith(beside)

    it(`${key}: ${JSON.stringify(good)} acts and is not told`, () => {
      const result = compileWith({ ...beside, [key]: good })
      expect(toldBeyond(result, without)).to.deep.equal([])
      expect(result.tables.routes.digest !== without.tables.routes.digest).to.equal(!isInert)
    })

    if (onBad === 'deny') {
      it(`R11-162 ${key}: ${JSON.stringify(bad)} is told, and closes what it guards`, () => {
        const result = compileWith({ ...beside, [key]: bad })
        expect(toldBeyond(result, without)).to.deep.equal([`AccessRuleInvalid Ingress shop/web ${key}`])
        expect(ask(result.tables.routes, 'a.example/x')).to.equal('503 access-rule')
        expect(ask(compileWith({ ...beside, [key]: good }).tables.routes, 'a.example/x')).to.equal('shop/web:80')
      })
    } else {
      it(`${key}: ${JSON.stringify(bad)} is told, and all is as without it (${onBad})`, () => {
        const result = compileWith({ ...beside, [key]: bad })
        expect(toldBeyond(result, without)).to.deep.equal([`InvalidAnnotation Ingress shop/web ${key}`])
        expect(result.tables.routes.digest).to.equal(without.tables.routes.digest)
        expect(ask(result.tables.routes, 'a.example/x')).to.equal('shop/web:80')
      })
    }

    it(`${key}: blanks are no value`, () => {
      const result = compileWith({ ...beside, [key]: ' \t ' })
      expect(result.tables.routes.digest).to.equal(without.tables.routes.digest)
      expect(toldBeyond(result, without)).to.deep.equal([])
    })

    it(`${key}: reaches the ${scope} and no other host`, () => {
      const other = ingress('bank/web').host('z.example').path('/x', 'web:80')
      const asks = ingress('shop/web').host('a.example').path('/x', 'web:80').free('/free', 'api:80')
      const before = compileCluster({ ingresses: [other] }).tables.routes.hosts.get('z.example')
      for (const [name, value] of Object.entries({ ...beside, [key]: good })) asks.annotate(name, value)
      const after = compileCluster({ ingresses: [other, asks] }).tables.routes.hosts.get('z.example')
      expect(after?.digest).to.equal(before?.digest)
    })
  }
})
