import { expect } from 'chai'
import { type BannerFacts, bannerFields, bannerText } from '../../src/observability/banner.ts'

const STATIC: BannerFacts = {
  version: '1.2.3',
  nodeVersion: '26.0.0',
  mode: 'static',
  engine: 'standard',
  transport: 'node',
  workers: 4,
  cluster: undefined,
  file: { path: 'dir/routes.yaml', backends: 5, endpoints: 6, routes: 1, certificates: 1, hasDefaultBackend: true },
  http: ['0.0.0.0:8080', '[::]:8080'],
  https: ['0.0.0.0:8443', '[::]:8443'],
  http3: 'disabled (not in this build)',
  admin: '127.0.0.1:10254',
  refused: ['snippets (not in this build)', 'ExternalName (--allow-external-name)'],
}

const CLUSTER_FACTS = {
  ingressClass: 'ramjet',
  controllerName: 'ramjet.dev/ingress',
  namespaces: ['shop', 'web'],
  apiServer: 'https://192.0.2.1:6443/ (service account)',
}
const CLUSTER: BannerFacts = { ...STATIC, mode: 'cluster', file: undefined, cluster: CLUSTER_FACTS, admin: undefined }

describe('the banner (R20-24)', () => {
  it('is a line for each thing that people ask for', () => {
    expect(bannerText(STATIC)).to.equal(
      [
        'ramjet 1.2.3 (node 26.0.0): static, engine standard, transport node, 4 workers',
        '  routes     dir/routes.yaml: 5 backends, 6 endpoints, 1 route, 1 certificate, default backend set',
        '  http       0.0.0.0:8080 [::]:8080',
        '  https      0.0.0.0:8443 [::]:8443',
        '  http3      disabled (not in this build)',
        '  probes     http://127.0.0.1:10254/healthz /readyz /metrics',
        '  admin      http://127.0.0.1:10254/admin/routes /admin/warnings /admin/certificates',
        '  refused    snippets (not in this build), ExternalName (--allow-external-name)',
        '',
      ].join('\n'),
    )
  })

  it('names class, controller, namespaces and API server in cluster mode', () => {
    expect(bannerText(CLUSTER).split('\n').slice(1, 4)).to.deep.equal([
      '  cluster    https://192.0.2.1:6443/ (service account)',
      '  class      ramjet, controller ramjet.dev/ingress',
      '  namespaces shop, web',
    ])
    expect(bannerFields(CLUSTER)).to.include({ ...CLUSTER.cluster, admin: 'disabled (--no-admin)' })
    const everywhere = { ...CLUSTER, cluster: { ...CLUSTER_FACTS, namespaces: undefined } }
    expect(bannerFields(everywhere)).to.include({ namespaces: 'all' })
  })

  it('has the same facts as fields of a record', () => {
    expect(bannerFields(STATIC)).to.deep.equal({
      version: '1.2.3',
      node: '26.0.0',
      mode: 'static',
      engine: 'standard',
      transport: 'node',
      workers: 4,
      file: 'dir/routes.yaml',
      backends: 5,
      endpoints: 6,
      routes: 1,
      certificates: 1,
      defaultBackend: true,
      http: ['0.0.0.0:8080', '[::]:8080'],
      https: ['0.0.0.0:8443', '[::]:8443'],
      http3: 'disabled (not in this build)',
      probes: 'http://127.0.0.1:10254/healthz /readyz /metrics',
      admin: 'http://127.0.0.1:10254/admin/routes /admin/warnings /admin/certificates',
      refused: ['snippets (not in this build)', 'ExternalName (--allow-external-name)'],
    })
  })
})
