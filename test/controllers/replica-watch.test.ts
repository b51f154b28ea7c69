import { expect } from 'chai'
import { decodeReplicaSlice, type ReplicaSlice } from '../../src/api/replica-slice.ts'
import { buildDialRules } from '../../src/compiler/dial-rules.ts'
import { replicasOf } from '../../src/controllers/replica-watch.ts'

const SELF = { name: 'ramjet-0', ip: '192.0.2.1' }

interface Endpoint {
  readonly addresses: readonly string[]
  readonly conditions?: { readonly ready?: boolean | null }
  readonly targetRef?: { readonly kind: string; readonly name: string }
}

function sliceOf(endpoints: readonly Endpoint[], ports: unknown = [{ name: 'admin', port: 10_254 }]): ReplicaSlice {
  const decoded = decodeReplicaSlice({
    metadata: {
      name: 'ramjet-admin-a',
      namespace: 'ramjet',
      uid: '1',
      resourceVersion: '1',
      creationTimestamp: '2026-01-02T03:04:05Z',
    },
    addressType: 'IPv4',
    endpoints,
    ports,
  })
  if (!decoded.ok) throw new Error(decoded.error.message)
  return decoded.value
}

function pod(name: string, address: string, ready?: boolean): Endpoint {
  const conditions = ready === undefined ? {} : { conditions: { ready } }
  return { addresses: [address], ...conditions, targetRef: { kind: 'Pod', name } }
}

function namesOf(...slices: readonly ReplicaSlice[]): readonly string[] {
  return replicasOf(slices, SELF, buildDialRules()).map(({ name }) => name)
}

describe('replicasOf (R32-40)', () => {
  it('gives every pod of every slice by name, ready or not, and which one this is', () => {
    const slices = [
      sliceOf([pod('ramjet-2', '192.0.2.3', false)]),
      sliceOf([pod('ramjet-1', '192.0.2.2', true), pod('ramjet-0', '192.0.2.1')]),
    ]
    expect(replicasOf(slices, SELF, buildDialRules())).to.deep.equal([
      { name: 'ramjet-0', address: '192.0.2.1:10254', ready: true, self: true },
      { name: 'ramjet-1', address: '192.0.2.2:10254', ready: true, self: false },
      { name: 'ramjet-2', address: '192.0.2.3:10254', ready: false, self: false },
    ])
  })

  it('knows this one by its address, and names a pod that the slice does not by its own', () => {
    const found = replicasOf(
      [sliceOf([{ addresses: ['192.0.2.1'] }, { addresses: ['2001:db8::2'] }])],
      SELF,
      buildDialRules(),
    )
    expect(found).to.deep.equal([
      { name: '192.0.2.1', address: '192.0.2.1:10254', ready: true, self: true },
      { name: '2001:db8::2', address: '[2001:db8::2]:10254', ready: true, self: false },
    ])
  })

  it('leaves out what nobody may dial (R20-184), what is no address, and a pod that came twice', () => {
    const slice = sliceOf([
      pod('loopback', '127.0.0.1'),
      pod('metadata', '169.254.169.254'),
      pod('name', 'evil.example'),
      pod('ramjet-1', '192.0.2.2'),
      pod('ramjet-1', '192.0.2.9'),
    ])
    expect(namesOf(slice)).to.deep.equal(['ramjet-1'])
    expect(replicasOf([slice], SELF, buildDialRules())[0]?.address).to.equal('192.0.2.2:10254')
  })

  for (const [ports, want] of [
    [
      [
        { name: 'metrics', port: 1 },
        { name: 'admin', port: 2 },
      ],
      '192.0.2.2:2',
    ],
    [[{ port: 3 }], '192.0.2.2:3'],
    [[{ name: 'admin', port: 0 }], undefined],
    [[{ name: 'admin', port: 65_536 }], undefined],
    [[{ name: 'admin', port: '80' }], undefined],
    [[], undefined],
    [null, undefined],
  ] as const) {
    it(`reads the port of ${JSON.stringify(ports)} as ${want ?? 'none'}`, () => {
      const found = replicasOf([sliceOf([pod('ramjet-1', '192.0.2.2')], ports)], SELF, buildDialRules())
      expect(found[0]?.address).to.equal(want)
    })
  }

  for (const endpoints of [null, 'none', [null], [{}], [{ addresses: [] }], [{ addresses: [7] }]]) {
    it(`reads no pod from ${JSON.stringify(endpoints)}`, () => {
      expect(namesOf(sliceOf(endpoints as unknown as readonly Endpoint[]))).to.deep.equal([])
    })
  }
})
