import { expect } from 'chai'
import type { Service } from '../../src/api/core.ts'
import type { CompileResult } from '../../src/compiler/result.ts'
import { endpointSlice } from '../builders/endpoint-slice.ts'
import { ingress } from '../builders/ingress.ts'
import { service, withSpec } from '../builders/service.ts'
import { ask, told } from './ask.ts'
import { compileCluster } from './cluster.ts'

const FIELD = 'spec.rules[0].http.paths[0].backend.service'
const MISSING = `EndpointsMissing Ingress shop/web ${FIELD}`
const FAR = withSpec(service('shop/far', 'http=80'), { type: 'ExternalName', externalName: 'far.example' })
const BARE = withSpec(service('shop/far'), { type: 'ExternalName', externalName: 'far.example' })

interface Given {
  readonly far?: Service
  readonly addresses?: readonly string[]
  /** What was resolved; the Service's own name where nothing is said. */
  readonly name?: string
  readonly backend?: string
  readonly allowExternalName?: boolean
  readonly neverDialled?: ReadonlySet<string>
}

function compiled(given: Given = {}): CompileResult {
  const { far = FAR, addresses, name = 'far.example', backend = 'far:http', allowExternalName = true } = given
  const { neverDialled = new Set<string>() } = given
  return compileCluster(
    {
      ingresses: [ingress('shop/web').host('a.example').path('/', backend)],
      services: [far],
      // What is left over of a time when the Service had pods.
      slices: [endpointSlice('shop/far').port(8080, 'http').ready('192.0.2.99')],
      resolvedNames: addresses === undefined ? {} : { 'shop/far': { name, addresses } },
    },
    { allowExternalName, neverDialled },
  )
}

function addressesIn({ tables }: CompileResult): readonly string[] | undefined {
  return tables.endpoints.byBackend.get('shop/far:80')?.endpoints.map(({ address }) => address)
}

describe('a Service of type ExternalName that may be resolved (R10-38)', () => {
  it('leads to what its name resolves to, IPv4 first, and not to its slices', () => {
    const result = compiled({ addresses: ['2001:db8::1', '198.51.100.2', '198.51.100.1', '198.51.100.2'] })
    expect(ask(result.tables.routes, 'a.example/x')).to.equal('shop/far:80')
    expect(addressesIn(result)).to.deep.equal(['198.51.100.1:80', '198.51.100.2:80', '[2001:db8::1]:80'])
    expect(told(result.warnings)).to.deep.equal([])
  })

  it('has no endpoint before its name was resolved, nor by the answer to another name', () => {
    for (const result of [compiled(), compiled({ addresses: ['198.51.100.1'], name: 'old.example' })]) {
      expect(addressesIn(result)).to.deep.equal([])
      expect(told(result.warnings)).to.deep.equal([MISSING])
    }
  })

  it('is dialled on its target port where that is a number', () => {
    for (const [targetPort, port] of [
      [8443, 8443],
      ['web', 80],
      [0, 80],
    ] as const) {
      const far = withSpec(FAR, { ports: [{ name: 'http', port: 80, targetPort }] })
      expect(addressesIn(compiled({ far, addresses: ['198.51.100.1'] }))).to.deep.equal([`198.51.100.1:${port}`])
    }
  })

  it('takes any port number where it lists none, and no port name', () => {
    expect(addressesIn(compiled({ far: BARE, backend: 'far:80', addresses: ['198.51.100.1'] }))).to.deep.equal([
      '198.51.100.1:80',
    ])
    const named = compiled({ far: BARE, addresses: ['198.51.100.1'] })
    expect(ask(named.tables.routes, 'a.example/')).to.equal('503 unresolved-service')
    const wrong = compiled({ backend: 'far:81', addresses: ['198.51.100.1'] })
    expect(ask(wrong.tables.routes, 'a.example/')).to.equal('503 unresolved-service')
  })

  it('wants its name resolved for as long as a backend stands for it', () => {
    expect([...compiled().wanted.externalNames]).to.deep.equal([['shop/far', 'far.example']])
    expect([...compiled({ backend: 'web:80' }).wanted.externalNames]).to.deep.equal([])
    expect([...compiled({ allowExternalName: false }).wanted.externalNames]).to.deep.equal([])
  })

  it('is never dialled at a denied address, which is told in the log (R20-184, R20-185)', () => {
    const addresses = ['127.0.0.1', '198.51.100.1', '169.254.169.254', '::ffff:127.0.0.1', '192.0.2.5', 'nonsense']
    const result = compiled({ addresses, neverDialled: new Set(['192.0.2.5:80']) })
    expect(addressesIn(result)).to.deep.equal(['198.51.100.1:80'])
    expect(result.warnings.map(({ reason, channel }) => [reason, channel])).to.deep.equal([
      ['UpstreamAddressDenied', 'log'],
    ])
    expect(result.warnings[0]?.message).to.include('127.0.0.1:80, 169.254.169.254:80')
  })

  it('is refused without the flag, whatever was resolved', () => {
    const result = compiled({ allowExternalName: false, addresses: ['198.51.100.1'] })
    expect(ask(result.tables.routes, 'a.example/')).to.equal('503 external-name')
    expect(told(result.warnings)).to.deep.equal([`ExternalNameDisabled Ingress shop/web ${FIELD}`])
    expect(result.warnings[0]?.message).to.include('--allow-external-name is off')
  })
})
