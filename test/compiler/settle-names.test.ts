// Names that no entry is for, and what annotations say about handshakes: what they are settled with, in which order.
import { expect } from 'chai'
import {
  type CertificateState,
  compileCertificates,
  emptyCertificates,
  indexServerNames,
} from '../../src/compiler/certificates.ts'
import { NO_CLASS_TERMS } from '../../src/compiler/class-terms.ts'
import type { Contribution } from '../../src/compiler/contribution.ts'
import { emptyHosts } from '../../src/compiler/host-table.ts'
import type { HostTls } from '../../src/compiler/host-tls.ts'
import type { HostOutcome } from '../../src/compiler/hosts.ts'
import type { Certificate } from '../../src/model/certificate-table.ts'
import { certificate } from '../builders/certificates.ts'

const other = certificate('other', { names: ['shop.example'] })
const spare = certificate('default', { names: ['default.example'] })

function contribution(key: string, ...names: readonly string[]): Contribution {
  const [namespace = '', name = ''] = key.split('/')
  const source = { kind: 'pair', certificate: certificate(key) } as const
  return {
    key,
    object: { kind: 'Ingress', namespace, name },
    source: 'ingress',
    createdAt: '',
    hosts: new Map(),
    defaultBackend: undefined,
    tls: [{ hosts: names, source, field: 'spec.tls[0]' }],
    policy: undefined,
    https: undefined,
    hostTexts: new Map(),
    backendTexts: new Map(),
    closed: { location: false, host: false, backend: false },
    terms: NO_CLASS_TERMS,
  }
}

function outcome(tls: HostTls): HostOutcome {
  const virtualHost = { host: '', routes: [], fallback: undefined, digest: '' }
  const nothing = { services: new Set<string>(), closable: new Set<string>(), uses: [], aliases: undefined }
  return { virtualHost, ...nothing, hasClassDefault: false, dependsOnTls: false, tls }
}

function hostsOf(tls: Readonly<Record<string, HostTls>>) {
  const outcomes = Object.entries(tls).map(([host, said]) => [host, outcome(said)] as const)
  return { ...emptyHosts(), outcomes: emptyHosts().outcomes.with(outcomes) }
}

/** Compiles these entries where annotations say this of hosts. */
function settle(
  entries: readonly Contribution[],
  tls: Readonly<Record<string, HostTls>>,
  last: CertificateState = emptyCertificates(),
  selfSigned?: Certificate,
) {
  const changes = Object.entries(tls).map(([host, said]) => ({ host, before: undefined, after: outcome(said) }))
  const outcomes = emptyHosts().outcomes.with(changes.map(({ host, after }) => [host, after] as const))
  const hosts = { state: { ...emptyHosts(), outcomes }, changes }
  const contributions = entries.map((after) => ({ before: undefined, after }))
  const names = indexServerNames(contributions, { ...last.sources, selfSigned }, last)
  return compileCertificates({ names, hosts }, last)
}

describe('what annotations say about handshakes', () => {
  const policy = { ciphers: 'ECDHE-RSA-AES128-GCM-SHA256' }

  it('R21-3: a name has the policy of its host', () => {
    const { state } = settle([contribution('shop/web', 'shop.example')], { 'shop.example': { policy } })
    expect(state.table.serverNames.get('shop.example')?.policy).to.deep.equal(policy)
  })

  it('R21-8: a host with a policy and no entry gets what its wildcard gets, also when that changes, else the default', () => {
    const tls = { 'a.shop.example': { policy } }
    const alone = settle([], tls, emptyCertificates(), spare)
    expect(alone.state.table.serverNames.get('a.shop.example')?.certificates).to.deep.equal([spare.handle])
    const wildcard = contribution('shop/web', '*.shop.example')
    const names = indexServerNames([{ before: undefined, after: wildcard }], alone.state.sources, alone.state)
    const { state } = compileCertificates({ names, hosts: { state: hostsOf(tls), changes: [] } }, alone.state)
    const handle = certificate('shop/web').handle
    expect(state.table.serverNames.get('a.shop.example')).to.include({ host: 'a.shop.example' })
    expect(state.table.serverNames.get('a.shop.example')?.certificates).to.deep.equal([handle])
    expect(state.table.serverNames.get('a.shop.example')?.policy).to.deep.equal(policy)
  })

  it('R21-8: hosts and their wildcard, none with an entry, get the default that is and no older one', () => {
    const hosts = ['*', 'a', 'b', 'www', 'api'].map((label) => `${label}.shop.example`)
    const tls = Object.fromEntries(hosts.map((host) => [host, { policy }]))
    const before = settle([], tls, emptyCertificates(), spare).state
    const names = indexServerNames([], { ...before.sources, selfSigned: other }, before)
    const { state } = compileCertificates({ names, hosts: { state: hostsOf(tls), changes: [] } }, before)
    for (const host of hosts) {
      expect(state.table.serverNames.get(host)?.certificates, host).to.deep.equal([other.handle])
    }
    expect([...state.table.certificates.keys()]).to.deep.equal([other.handle])
  })

  it('R21-8: a host with a policy and no entry passes through as its wildcard does', () => {
    const by = contribution('shop/own')
    const tls = {
      'a.shop.example': { policy },
      '*.shop.example': { policy: {}, passthrough: { backend: 'shop/web:443', by } },
    }
    const wild = settle([], { '*.shop.example': tls['*.shop.example'] }, emptyCertificates(), spare).state
    // It comes when its wildcard is there already: nothing changes but that it inherits.
    const passed = settle([], tls, wild, spare).state
    expect(passed.table.serverNames.get('a.shop.example')).to.equal(undefined)
    const ended = { 'a.shop.example': { policy } }
    const changes = [{ host: '*.shop.example', before: outcome(tls['*.shop.example']), after: undefined }]
    const names = indexServerNames([], passed.sources, passed)
    const { state } = compileCertificates({ names, hosts: { state: hostsOf(ended), changes } }, passed)
    expect(state.table.serverNames.get('a.shop.example')?.certificates).to.deep.equal([spare.handle])
    expect(state.table.serverNames.get('*.shop.example')).to.equal(undefined)
  })

  it('R21-30: passthrough beats termination, and whoever else wants to terminate is told', () => {
    const own = contribution('shop/own', 'shop.example')
    const older = contribution('bank/older', 'shop.example')
    const passthrough = { backend: 'shop/web:443', by: own }
    const { state, notes } = settle([older, own], { 'shop.example': { policy, passthrough } })
    expect(state.table.serverNames.get('shop.example')).to.deep.include({
      certificates: [],
      passthrough: 'shop/web:443',
    })
    expect(state.table.certificates.size).to.equal(0)
    const findings = [...notes.values()].flat()
    expect(findings.map(({ reason, object }) => `${reason} ${object.name}`)).to.deep.equal(['TLSHostConflict older'])
    expect(findings[0]?.found).to.contain('passed through by Ingress shop/own')
  })
})
