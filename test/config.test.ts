// What stands in config/, as far as it can be judged without a cluster.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { loadAll } from 'js-yaml'
import { formatConfigFault } from '../src/manifests/config-faults.ts'
import { parseOperatorConfig } from '../src/manifests/operator-config.ts'

const ROOT = join(import.meta.dirname, '..')
const files = globSync('config/**/*.yaml', { cwd: ROOT }).toSorted()
/** By the number and by the name that the Deployment gives it. */
const ADMIN_PORT = [10_254, 'admin']

/** What a Service, or a patch of one, says. */
interface ServiceManifest {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec?: {
    readonly type?: string
    readonly ports?: readonly Readonly<Record<string, string | number>>[]
  }
}

function services(): readonly ServiceManifest[] {
  const documents = files.flatMap((file) => loadAll(readFileSync(join(ROOT, file), 'utf8')))
  return (documents as readonly (ServiceManifest | null)[]).flatMap((one) => (one?.kind === 'Service' ? [one] : []))
}

function hasAdminPort({ spec }: ServiceManifest): boolean {
  const values = (spec?.ports ?? []).flatMap((port) => Object.values(port))
  return values.some((value) => ADMIN_PORT.includes(value))
}

describe('config/', () => {
  it('mounts whole volumes, since the kubelet never renews a subPath (R42-12)', () => {
    expect(files).to.have.length.above(10)
    const mounting = files.filter((file) => /^\s*(- )?subPath(Expr)?:/m.test(readFileSync(join(ROOT, file), 'utf8')))
    expect(mounting).to.deep.equal([])
  })

  it('gives the admin port to a Service of its own, inside the cluster, and to no load balancer (R32-7)', () => {
    const all = services()
    const outward = all.filter(({ spec }) => ['LoadBalancer', 'NodePort'].includes(spec?.type ?? ''))
    expect(outward.map(({ metadata }) => metadata.name)).to.deep.equal(['ramjet'])
    expect(outward.filter(hasAdminPort)).to.deep.equal([])
    const inward = all.filter(hasAdminPort).map(({ metadata, spec }) => [metadata.name, spec?.type])
    expect(inward).to.deep.equal([['ramjet-admin', 'ClusterIP']])
  })

  it('brings a good configuration with the component operator-config (R50-30)', () => {
    const file = 'config/components/operator-config/config.yaml'
    const parsed = parseOperatorConfig([{ file, text: readFileSync(join(ROOT, file), 'utf8') }], () => undefined)
    expect(parsed.ok ? [] : parsed.error.map(formatConfigFault)).to.deep.equal([])
  })
})
