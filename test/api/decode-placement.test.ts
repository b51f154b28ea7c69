import { expect } from 'chai'
import { decodeIngress } from '../../src/api/decode-networking.ts'
import { decodeNode, decodePodPlaces, decodePublishedService } from '../../src/api/decode-placement.ts'

const metadata = { name: 'x', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' }

describe('decoders of where things are', () => {
  it('read the addresses of a Node by their type', () => {
    const addresses = [
      { type: 'Hostname', address: 'node-1' },
      { type: 'InternalIP', address: '10.0.0.1' },
      { type: 'ExternalIP', address: '192.0.2.1' },
    ]
    const node = decodeNode({ metadata, status: { addresses } })
    expect(node.ok && [node.value.externalIps, node.value.internalIps]).to.deep.equal([['192.0.2.1'], ['10.0.0.1']])
  })

  it('read the addresses of a Service', () => {
    const ingress = [{ ip: '192.0.2.1', ports: [] }, { hostname: 'lb.example' }, {}]
    const service = decodePublishedService({
      metadata,
      spec: { externalIPs: ['198.51.100.1'] },
      status: { loadBalancer: { ingress } },
    })
    expect(service.ok && [service.value.balancer, service.value.externalIps]).to.deep.equal([
      [{ ip: '192.0.2.1' }, { hostname: 'lb.example' }],
      ['198.51.100.1'],
    ])
  })

  it('read the pods of an EndpointSlice that are ready, absent being ready', () => {
    const endpoints = [
      { addresses: ['10.0.0.1'], nodeName: 'a' },
      { addresses: ['10.0.0.2'], conditions: { ready: false }, nodeName: 'b' },
      { addresses: ['10.0.0.3'], conditions: { ready: true } },
    ]
    const slice = decodePodPlaces({ metadata, endpoints })
    expect(slice.ok && slice.value.pods).to.deep.equal([
      { addresses: ['10.0.0.1'], node: 'a' },
      { addresses: ['10.0.0.3'], node: undefined },
    ])
  })

  it('read nothing where there is nothing, or something else', () => {
    for (const status of [undefined, null, 7, { addresses: 'x', loadBalancer: [] }]) {
      expect(decodeNode({ metadata, status }).ok).to.equal(true)
      expect(decodePublishedService({ metadata, spec: status, status }).ok).to.equal(true)
      expect(decodePodPlaces({ metadata, endpoints: status }).ok).to.equal(true)
    }
  })

  it('keep the addresses of an Ingress through a second reading, and lose no Ingress by a broken status', () => {
    const status = { loadBalancer: { ingress: [{ ip: '192.0.2.1', ports: [{ port: 80 }] }] } }
    const once = decodeIngress({ metadata: { ...metadata, namespace: 'shop' }, spec: {}, status })
    expect(once.ok && once.value.addresses).to.deep.equal([{ ip: '192.0.2.1' }])
    const twice = once.ok ? decodeIngress(once.value) : once
    expect(twice).to.deep.equal(once)
    expect(decodeIngress({ metadata, status: { loadBalancer: 'broken' } }).ok).to.equal(true)
  })
})
