import { expect } from 'chai'
import type { Service } from '../../src/api/core.ts'
import type { EndpointSlice } from '../../src/api/discovery.ts'
import { compile } from '../../src/compiler/compile.ts'
import { emptyMemo } from '../../src/compiler/memo.ts'
import type { CompileSettings } from '../../src/compiler/snapshot.ts'
import { type EndpointSliceBuilder, endpointSlice } from '../builders/endpoint-slice.ts'
import { ingress } from '../builders/ingress.ts'
import { service, withSpec } from '../builders/service.ts'
import { SETTINGS } from '../builders/snapshot.ts'
import { told } from './ask.ts'
import { clusterOf, compileCluster } from './cluster.ts'

const PODS = service('shop/pods', 'http=80')
const SLICE = () => endpointSlice('shop/pods').port(8080, 'http')
const FIELD = 'spec.rules[0].http.paths[0].backend.service'
const MISSING = `EndpointsMissing Ingress shop/web ${FIELD}`
const DENIED = `UpstreamAddressDenied Ingress shop/web ${FIELD}`
const NOT_READY = { ready: false }
const TERMINATING = { ready: false, serving: true, terminating: true }

interface Case {
  readonly title: string
  readonly slices: readonly (EndpointSlice | EndpointSliceBuilder)[]
  readonly service?: Service
  readonly settings?: Partial<CompileSettings>
  readonly want: readonly string[]
  readonly told?: readonly string[]
}

const cases: readonly Case[] = [
  {
    title: 'R10-34: all slices of a Service are merged, an address in two of them counts once',
    slices: [
      SLICE().ready('192.0.2.2', '192.0.2.1'),
      endpointSlice('shop/pods', 'b').port(8080, 'http').ready('192.0.2.1', '192.0.2.3'),
    ],
    want: ['192.0.2.1:8080', '192.0.2.2:8080', '192.0.2.3:8080'],
  },
  {
    title: 'R10-34: one pod on two ports is two endpoints',
    slices: [SLICE().ready('192.0.2.1'), endpointSlice('shop/pods', 'b').port(9090, 'http').ready('192.0.2.1')],
    want: ['192.0.2.1:8080', '192.0.2.1:9090'],
  },
  {
    title: 'R10-34: the slice port goes by the name of the Service port',
    slices: [SLICE().ready('192.0.2.1'), endpointSlice('shop/pods', 'b').port(9090, 'admin').ready('192.0.2.2')],
    want: ['192.0.2.1:8080'],
  },
  {
    title: 'R10-34: an unnamed Service port takes the unnamed slice port',
    service: service('shop/pods', '80'),
    slices: [
      endpointSlice('shop/pods').port(8080).ready('192.0.2.1'),
      endpointSlice('shop/pods', 'b').port(9, 'x').ready('192.0.2.2'),
    ],
    want: ['192.0.2.1:8080'],
  },
  {
    title: 'R10-34: the primary family of the Service goes first, here IPv6',
    service: withSpec(PODS, { ipFamilies: ['IPv6', 'IPv4'] }),
    slices: [
      SLICE().ready('192.0.2.1'),
      endpointSlice('shop/pods', 'b').type('IPv6').port(8080, 'http').ready('2001:db8::1'),
    ],
    want: ['[2001:db8::1]:8080', '192.0.2.1:8080'],
  },
  {
    title: 'R10-34: without families the cluster IP says which is primary',
    service: withSpec(PODS, { clusterIP: '2001:db8::10' }),
    slices: [
      SLICE().ready('192.0.2.1'),
      endpointSlice('shop/pods', 'b').type('IPv6').port(8080, 'http').ready('2001:db8::1'),
    ],
    want: ['[2001:db8::1]:8080', '192.0.2.1:8080'],
  },
  {
    title: 'R10-34: a headless Service counts by its slices',
    service: withSpec(PODS, { clusterIP: 'None' }),
    slices: [
      endpointSlice('shop/pods', 'b').type('IPv6').port(8080, 'http').ready('2001:db8::1'),
      SLICE().ready('192.0.2.1'),
    ],
    want: ['192.0.2.1:8080', '[2001:db8::1]:8080'],
  },
  {
    title: 'R10-34: a slice of type FQDN is left out',
    slices: [
      SLICE().ready('192.0.2.1'),
      endpointSlice('shop/pods', 'b').type('FQDN').port(8080, 'http').ready('pod.example'),
    ],
    want: ['192.0.2.1:8080'],
    told: ['EndpointsSkipped Service shop/pods pods-b addressType'],
  },
  {
    title: 'R10-34: an address that does not parse is left out',
    slices: [SLICE().ready('192.0.2.1', '192.0.2.300', 'fe80::1%eth0')],
    want: ['192.0.2.1:8080'],
    told: ['EndpointsSkipped Service shop/pods pods-a endpoints[1]'],
  },
  {
    title: 'R10-35: what is not ready does not serve, and no condition is ready',
    slices: [SLICE().ready('192.0.2.1').with('192.0.2.2', NOT_READY).with('192.0.2.3', { ready: true })],
    want: ['192.0.2.1:8080', '192.0.2.3:8080'],
  },
  {
    title: 'R10-35: one that terminates and serves waits while another is ready',
    slices: [SLICE().ready('192.0.2.1').with('192.0.2.2', TERMINATING)],
    want: ['192.0.2.1:8080'],
  },
  {
    title: 'R10-35: those that terminate and serve are used while none is ready',
    slices: [SLICE().with('192.0.2.1', NOT_READY).with('192.0.2.2', TERMINATING)],
    want: ['192.0.2.2:8080 terminating'],
  },
  {
    title: 'R10-35: one that terminates and does not serve is never used',
    slices: [
      SLICE()
        .with('192.0.2.1', { ready: false, serving: false, terminating: true })
        .with('192.0.2.2', { ready: false, terminating: true }),
    ],
    want: [],
    told: [MISSING],
  },
  {
    title: 'R10-35: ready in one slice is ready, whatever another says',
    slices: [
      SLICE().with('192.0.2.1', TERMINATING),
      endpointSlice('shop/pods', 'b').port(8080, 'http').ready('192.0.2.1'),
    ],
    want: ['192.0.2.1:8080'],
  },
  { title: 'R10-36: no slice at all is told in the log', slices: [], want: [], told: [MISSING] },
  {
    title: 'R20-184: an address that is never dialled counts as no endpoint',
    slices: [SLICE().ready('192.0.2.1', '169.254.169.254')],
    want: ['192.0.2.1:8080'],
    told: [DENIED],
  },
  {
    title: 'R20-185: with none left the route is without endpoints, and both are told',
    slices: [SLICE().ready('127.0.0.1')],
    want: [],
    told: [MISSING, DENIED],
  },
  {
    title: 'R20-184: a port of our own admin listener is never dialled',
    slices: [SLICE().ready('192.0.2.1', '192.0.2.2')],
    settings: { neverDialled: new Set(['192.0.2.1:8080']) },
    want: ['192.0.2.2:8080'],
    told: [DENIED],
  },
]

const DENIED_ADDRESSES = [
  '0.0.0.0',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '169.254.0.1',
  '224.0.0.1',
  '239.255.255.255',
  '255.255.255.255',
  '::',
  '::1',
  'fe80::1',
  'febf::1',
  'ff02::1',
  'fd00:ec2::254',
  '::ffff:127.0.0.1',
  '::ffff:a9fe:a9fe',
  '64:ff9b::127.0.0.1',
  '64:ff9b::a9fe:a9fe',
]
const DIALLED_ADDRESSES = [
  '10.244.0.7',
  '169.253.255.255',
  '223.255.255.255',
  '255.255.255.254',
  'fec0::1',
  'fd00:ec2::253',
  '::ffff:192.0.2.1',
  '64:ff9b::c000:201',
]

function endpointsOf(slices: Case['slices'], pods = PODS, settings: Partial<CompileSettings> = {}) {
  const web = ingress('shop/web').host('a.example').path('/', 'pods:80')
  const { tables, warnings } = compileCluster({ ingresses: [web], services: [pods], slices }, settings)
  const entries = tables.endpoints.byBackend.get('shop/pods:80')?.endpoints ?? []
  const texts = entries.map(({ address, readiness }) => (readiness === 'ready' ? address : `${address} ${readiness}`))
  return { texts, warnings }
}

const OWN = new Set(['10.244.0.5:8080', '[fd00::5]:8080', 'nonsense'])
const OWN_SPELLINGS = ['10.244.0.5', '::ffff:10.244.0.5', '64:ff9b::10.244.0.5', 'fd00::5', 'FD00:0:0:0::5']

describe('endpoints of a backend', () => {
  for (const { title, slices, service: pods, settings, want, told: wantTold = [] } of cases) {
    it(title, () => {
      const { texts, warnings } = endpointsOf(slices, pods, settings)
      expect(texts).to.deep.equal(want)
      expect(told(warnings)).to.deep.equal(wantTold)
    })
    it(`${title}, whatever the order of the slices`, () => {
      expect(endpointsOf(slices.toReversed(), pods, settings).texts).to.deep.equal(want)
    })
  }

  for (const address of DENIED_ADDRESSES) {
    it(`R20-184: ${address} is never dialled`, () => {
      expect(endpointsOf([SLICE().ready(address)]).texts).to.deep.equal([])
    })
  }
  for (const address of DIALLED_ADDRESSES) {
    it(`R20-184: ${address} is dialled`, () => {
      expect(endpointsOf([SLICE().ready(address)]).texts).to.have.length(1)
    })
  }

  for (const address of OWN_SPELLINGS) {
    it(`R20-184: our own admin port is not dialled as ${address} either`, () => {
      expect(endpointsOf([SLICE().ready(address)], PODS, { neverDialled: OWN }).texts).to.deep.equal([])
      const traffic = endpointSlice('shop/pods').port(8081, 'http').ready(address)
      expect(endpointsOf([traffic], PODS, { neverDialled: OWN }).texts).to.have.length(1)
    })
  }

  it('a slice that cannot be read is skipped and told, the others serve', () => {
    const broken = { ...SLICE().build(), endpoints: 'many' } as unknown as EndpointSlice
    const { texts, warnings } = endpointsOf([
      broken,
      endpointSlice('shop/pods', 'b').port(8080, 'http').ready('192.0.2.1'),
    ])
    expect(texts).to.deep.equal(['192.0.2.1:8080'])
    expect(told(warnings)).to.deep.equal(['UndecodableObject EndpointSlice shop/pods-a endpoints'])
  })

  it('a slice without a name that can be read is told of its Service', () => {
    const web = ingress('shop/web').host('a.example').path('/', 'pods:80')
    const slices = [7 as unknown as EndpointSlice, SLICE().ready('192.0.2.1').build()]
    const cluster = {
      ...clusterOf({ ingresses: [web], services: [PODS] }),
      endpointSlices: new Map([['shop/pods', slices]]),
    }
    const { warnings } = compile(cluster, SETTINGS, emptyMemo())
    expect(told(warnings)).to.deep.equal(['UndecodableObject Service shop/pods object'])
  })

  it('R00-22: a backend that only the served generation names is resolved too', () => {
    const served = compileCluster({ ingresses: [ingress('shop/web').host('a.example').path('/', 'api:80')] })
    const { tables, wanted, warnings } = compileCluster({ servedBackends: served.tables.routes.backends })
    expect(tables.routes.backends.size).to.equal(0)
    expect(tables.endpoints.byBackend.get('shop/api:80')?.endpoints.map(({ address }) => address)).to.deep.equal([
      '192.0.2.2:8080',
    ])
    expect([...wanted.backends]).to.deep.equal(['shop/api:80'])
    expect(warnings).to.deep.equal([])
  })

  it('R00-22: a served backend whose Service is gone has no endpoint and nobody is told', () => {
    const gone = ingress('shop/web').host('a.example').path('/', 'pods:80')
    const served = compileCluster({ ingresses: [gone], services: [PODS], slices: [SLICE().ready('192.0.2.9')] })
    const { tables, warnings } = compileCluster({ servedBackends: served.tables.routes.backends })
    expect(tables.endpoints.byBackend.get('shop/pods:80')?.endpoints).to.deep.equal([])
    expect(warnings).to.deep.equal([])
  })
})
