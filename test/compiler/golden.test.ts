// Whole cases, read as a person would: `in.yaml` holds objects and options, `out.yaml` what becomes of them.
// UPDATE_GOLDEN=1 writes `out.yaml` anew; the diff is reviewed like code.
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { dump, load } from 'js-yaml'

import type { DataObject } from '../../src/api/core.ts'
import type { EndpointSlice } from '../../src/api/discovery.ts'
import type { KubernetesObject } from '../../src/api/meta.ts'

import { compile } from '../../src/compiler/compile.ts'
import { emptyMemo } from '../../src/compiler/memo.ts'
import type { CompileResult } from '../../src/compiler/result.ts'
import type { CompileSettings, RouteFile, TlsSecret } from '../../src/compiler/snapshot.ts'
import { type Certificate, type CertificateTable, DEFAULT_SERVER_NAME } from '../../src/model/certificate-table.ts'
import type { Backend, Route, RouteAction } from '../../src/model/route-table.ts'
import { badSecret, certificate, goodSecret } from '../builders/certificates.ts'
import { metaOf } from '../builders/meta.ts'
import { SETTINGS, snapshot } from '../builders/snapshot.ts'
import { templateText } from './ask.ts'

const ROOT = join(import.meta.dirname, '..', 'golden', 'compiler')

interface GoldenCase {
  readonly settings?: Partial<CompileSettings>
  readonly file?: RouteFile
  readonly objects: readonly KubernetesObject[]
  /** By `namespace/name`: certificates by what they hold, since nothing secret stands in a file. */
  readonly tlsSecrets?: Readonly<Record<string, GoldenSecret>>
}

interface GoldenSecret {
  readonly good?: GoldenCertificate
  readonly opaque?: boolean
  readonly problem?: string
  readonly lastGood?: GoldenCertificate
}

interface GoldenCertificate {
  readonly content: string
  readonly names?: readonly string[]
  readonly keyType?: Certificate['keyType']
}

function readCase(folder: string): GoldenCase {
  return load(readFileSync(join(folder, 'in.yaml'), 'utf8')) as GoldenCase
}

function ofKind(objects: readonly KubernetesObject[], kind: string): readonly KubernetesObject[] {
  return objects.filter((object) => object.kind === kind).map(withIdentity)
}

/** What an API server would have added. */
function withIdentity(object: KubernetesObject): KubernetesObject {
  const { namespace, name } = object.metadata
  return {
    ...object,
    metadata: { ...metaOf(namespace === undefined ? name : `${namespace}/${name}`), ...object.metadata },
  }
}

function outcomeOf({ settings, file, objects, tlsSecrets = {} }: GoldenCase): unknown {
  const cluster = snapshot({
    ingresses: ofKind(objects, 'Ingress'),
    classes: ofKind(objects, 'IngressClass'),
    services: ofKind(objects, 'Service'),
    slices: ofKind(objects, 'EndpointSlice') as readonly EndpointSlice[],
    secrets: ofKind(objects, 'Secret') as readonly DataObject[],
    tlsSecrets: Object.fromEntries(Object.entries(tlsSecrets).map(([key, held]) => [key, readTlsSecret(held)])),
    ...(file === undefined ? {} : { file }),
  })
  return readable(compile(cluster, { ...SETTINGS, ...settings }, emptyMemo()))
}

function readTlsSecret({ good, opaque, problem = 'does not exist', lastGood }: GoldenSecret): TlsSecret {
  if (good) return goodSecret(certificateOf(good), opaque)
  return badSecret(problem, lastGood && certificateOf(lastGood))
}

function certificateOf({ content, ...facts }: GoldenCertificate): Certificate {
  return certificate(content, facts)
}

/** Server names with the certificates that they get, by what those hold. */
function readableTls({ certificates, serverNames }: CertificateTable): unknown {
  const contents = [...serverNames.values()].map((name): readonly [string, unknown] => {
    const held = name.certificates.map((handle) => certificates.get(handle)?.chain.replace('chain of ', ''))
    return [name.host === DEFAULT_SERVER_NAME ? '(default)' : name.host, name.passthrough ?? held]
  })
  return sorted(contents)
}

/** Without digests, which no reader can check, and sorted where the order of a map means nothing. */
function readable({ tables, warnings, claimed }: CompileResult): unknown {
  const { hosts, backends, defaultRoute } = tables.routes
  const hostEntries = [...hosts.values()].map(({ host, routes, fallback }) => [
    host,
    { routes: routes.map(readableRoute), ...(fallback ? { fallback: readableRoute(fallback) } : {}) },
  ])
  const endpoints = [...tables.endpoints.byBackend.values()].map((entry) => [
    entry.backend,
    entry.endpoints.map(({ address, weight, readiness }) => `${address} weight ${weight} ${readiness}`),
  ])
  return {
    claimed: [...claimed].toSorted(),
    hosts: sorted(hostEntries),
    ...(defaultRoute ? { defaultRoute: readableRoute(defaultRoute) } : {}),
    backends: sorted([...backends.values()].map(readableBackend)),
    endpoints: sorted(endpoints),
    ...(tables.routes.certificates ? { tls: readableTls(tables.routes.certificates) } : {}),
    warnings: warnings.map(({ reason, object, field, message }) => ({
      reason,
      object: `${object.kind} ${object.namespace === '' ? '' : `${object.namespace}/`}${object.name}`,
      field,
      message,
    })),
  }
}

function readableBackend({ name, source, policy, protocol, tls }: Backend): readonly [string, unknown] {
  const { digest: _, ...identity } = tls ?? {}
  return [name, { source, policy, ...(protocol ? { protocol } : {}), ...(tls ? { tls: identity } : {}) }]
}

function readableRoute({ match, pathType, path, action, policy, httpsFirst, source, origin }: Route): unknown {
  const from = `${source} ${origin.namespace === '' ? '' : `${origin.namespace}/`}${origin.name} ${origin.rule}`
  const route = {
    match: Object.values(match).join(' '),
    written: `${pathType} ${path}`,
    to: readableAction(action),
    from,
    ...(httpsFirst === true ? { httpsFirst } : {}),
  }
  return policy ? { ...route, policy } : route
}

function readableAction(action: RouteAction): unknown {
  switch (action.kind) {
    case 'forward':
      return action.backends.map(({ backend }) => backend)
    case 'refuse':
      return `refuse ${action.reason}`
    case 'redirect':
      return `redirect ${action.status} ${action.location.base} ${templateText(action.location.template)}`
  }
}

function sorted(entries: readonly (readonly unknown[])[]): unknown {
  return Object.fromEntries(entries.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)))
}

describe('the compiler on whole cases', () => {
  const cases = globSync('*/*/in.yaml', { cwd: ROOT }).map(dirname).toSorted()

  it('has cases to run', () => {
    expect(cases).to.not.deep.equal([])
  })

  for (const name of cases) {
    it(name, () => {
      const folder = join(ROOT, name)
      const outcome = outcomeOf(readCase(folder))
      const golden = join(folder, 'out.yaml')
      if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(golden, dump(outcome, { lineWidth: 160 }))
      expect(existsSync(golden), `${golden} is missing: run with UPDATE_GOLDEN=1`).to.equal(true)
      expect(outcome).to.deep.equal(load(readFileSync(golden, 'utf8')))
    })
  }
})
