import { expect } from 'chai'
import { assert, jsonValue, property } from 'fast-check'
import { decodeService } from '../../src/api/decode-core.ts'
import { decodeEndpointSlice } from '../../src/api/decode-discovery.ts'
import { decodeIngress, decodeIngressClass } from '../../src/api/decode-networking.ts'
import { ok } from '../../src/lib/result.ts'

const META = {
  name: 'web',
  namespace: 'shop',
  uid: 'u1',
  resourceVersion: '7',
  creationTimestamp: '2026-01-01T00:00:00Z',
}
const RAW_META = {
  ...META,
  managedFields: [{ manager: 'kubectl' }],
  ownerReferences: [{ name: 'x' }],
  finalizers: ['f'],
  selfLink: '/x',
}
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

describe('decodeIngress', () => {
  const spec = {
    ingressClassName: 'ramjet',
    defaultBackend: { service: { name: 'fallback', port: { number: 80 } } },
    tls: [{ hosts: ['a.example'], secretName: 'cert' }],
    rules: [
      {
        host: 'a.example',
        http: {
          paths: [
            { path: '/', pathType: 'Prefix', backend: { service: { name: 'web', port: { name: 'http' } } } },
            { pathType: 'Exact', backend: { resource: { apiGroup: 'k8s.example', kind: 'Bucket', name: 'b' } } },
          ],
        },
      },
      { host: 'b.example' },
    ],
  }

  it('keeps the whole spec, labels and annotations', () => {
    const metadata = { ...META, generation: 3, labels: { app: 'web' }, annotations: { a: 'b' } }
    const raw = { kind: 'Ingress', metadata: { ...metadata, managedFields: [] }, spec, status: { loadBalancer: {} } }
    expect(decodeIngress(raw)).to.deep.equal(ok({ metadata, spec }))
  })

  it('drops managedFields, owners, finalizers, status and what kubectl applied', () => {
    const annotations = { [LAST_APPLIED]: '{"large":true}', keep: 'this' }
    const raw = { metadata: { ...RAW_META, annotations }, status: {} }
    expect(decodeIngress(raw)).to.deep.equal(ok({ metadata: { ...META, annotations: { keep: 'this' } } }))
  })

  it('reads rules without paths', () => {
    const raw = { metadata: META, spec: { rules: [{ http: {} }, { http: { paths: null } }] } }
    expect(decodeIngress(raw)).to.deep.equal(
      ok({ metadata: META, spec: { rules: [{ http: { paths: [] } }, { http: { paths: [] } }] } }),
    )
  })

  it('names the field that is malformed', () => {
    const paths = [{ path: '/', pathType: 'Prefix', backend: { service: { name: 'web', port: { number: '80' } } } }]
    const raw = { metadata: META, spec: { rules: [{ http: { paths } }] } }
    const decoded = decodeIngress(raw)
    const field = 'spec.rules[0].http.paths[0].backend.service.port.number'
    expect(decoded).to.deep.equal({ ok: false, error: { field, message: 'is not a whole number' } })
  })
})

describe('decodeIngressClass', () => {
  it('keeps controller, parameters and the annotation that makes it the default', () => {
    const metadata = { ...META, annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' } }
    const parameters = {
      apiGroup: 'ramjet.dev',
      kind: 'ClassParameters',
      name: 'p',
      namespace: 'n',
      scope: 'Namespace',
    }
    const raw = { metadata, spec: { controller: 'ramjet.dev/ingress', parameters } }
    expect(decodeIngressClass(raw)).to.deep.equal(ok(raw))
  })
})

describe('decodeService', () => {
  it('keeps addresses and ports, and neither labels nor selector', () => {
    const spec = {
      type: 'ClusterIP',
      clusterIP: '10.96.0.9',
      clusterIPs: ['10.96.0.9'],
      ipFamilies: ['IPv4'],
      externalName: 'x.example',
      ports: [
        { name: 'http', port: 80, protocol: 'TCP', targetPort: 8080, appProtocol: 'kubernetes.io/ws' },
        { port: 81, targetPort: 'admin' },
      ],
    }
    const raw = { metadata: { ...RAW_META, labels: { a: 'b' } }, spec: { ...spec, selector: { a: 'b' } }, status: {} }
    expect(decodeService(raw)).to.deep.equal(ok({ metadata: META, spec }))
  })

  it('refuses a target port that is neither number nor name', () => {
    const decoded = decodeService({ metadata: META, spec: { ports: [{ port: 80, targetPort: true }] } })
    expect(decoded).to.have.nested.property('error.field', 'spec.ports[0].targetPort')
  })
})

describe('decodeEndpointSlice', () => {
  it('keeps addresses, conditions, ports and the label of the Service', () => {
    const kept = {
      metadata: { ...META, labels: { 'kubernetes.io/service-name': 'web' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['192.0.2.1'], conditions: { ready: true, serving: true, terminating: false } }],
      ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
    }
    const [endpoint] = kept.endpoints
    const raw = {
      metadata: { ...RAW_META, labels: { ...kept.metadata.labels, other: 'x' }, annotations: { changed: 'now' } },
      addressType: 'IPv4',
      endpoints: [{ ...endpoint, nodeName: 'n', zone: 'z', targetRef: { name: 'pod' }, hints: {} }],
      ports: kept.ports,
    }
    expect(decodeEndpointSlice(raw)).to.deep.equal(ok(kept))
  })

  it('reads a slice without endpoints, ports and labels', () => {
    const raw = { metadata: META, addressType: 'IPv6', endpoints: null, ports: null }
    expect(decodeEndpointSlice(raw)).to.deep.equal(ok({ metadata: META, addressType: 'IPv6' }))
  })

  it('reads conditions that are null as unknown', () => {
    const endpoints = [{ addresses: ['192.0.2.1'], conditions: { ready: null } }]
    expect(decodeEndpointSlice({ metadata: META, addressType: 'IPv4', endpoints })).to.deep.equal(
      ok({ metadata: META, addressType: 'IPv4', endpoints: [{ addresses: ['192.0.2.1'], conditions: {} }] }),
    )
  })
})

for (const [name, decode] of Object.entries({
  decodeIngress,
  decodeIngressClass,
  decodeService,
  decodeEndpointSlice,
})) {
  describe(name, () => {
    it('never throws, whatever it is given', () => {
      assert(
        property(jsonValue(), jsonValue(), (spec, extra) => {
          decode({ metadata: META, spec, endpoints: extra, ports: extra, addressType: 'IPv4' })
          decode({ metadata: extra, spec })
          decode(spec)
        }),
      )
    })

    for (const field of ['name', 'uid', 'resourceVersion', 'creationTimestamp']) {
      it(`refuses an object without metadata.${field}`, () => {
        const decoded = decode({ metadata: { ...META, [field]: undefined }, addressType: 'IPv4' })
        expect(decoded).to.deep.equal({ ok: false, error: { field: `metadata.${field}`, message: 'is not a string' } })
      })
    }
  })
}
