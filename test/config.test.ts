// What stands in config/, as far as it can be judged without a cluster.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { loadAll } from 'js-yaml'
import { type JsonRecord, recordOf } from '../src/lib/json-record.ts'
import { formatConfigFault } from '../src/manifests/config-faults.ts'
import { parseOperatorConfig } from '../src/manifests/operator-config.ts'
import { FLAG_BY_NAME } from '../src/settings/flags.ts'

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

/** The objects of one kind in all files. */
function objectsOf(kind: string): readonly JsonRecord[] {
  const all = files.flatMap((file) => loadAll(readFileSync(join(ROOT, file), 'utf8')).map(recordOf))
  return all.filter((object) => object['kind'] === kind && object['apiVersion'] !== undefined)
}

function listOf(value: unknown): readonly JsonRecord[] {
  return Array.isArray(value) ? value.map(recordOf) : []
}

function deployment(): { readonly spec: JsonRecord; readonly pod: JsonRecord; readonly container: JsonRecord } {
  // Components change a few fields of it, and count no replicas.
  const specs = objectsOf('Deployment').map((object) => recordOf(object['spec']))
  const spec = specs.find(({ replicas }) => replicas !== undefined) ?? {}
  const pod = recordOf(recordOf(spec['template'])['spec'])
  return { spec, pod, container: recordOf(listOf(pod['containers'])[0]) }
}

/** The default of a flag in seconds. */
function secondsOf(flag: string): number {
  return Number(/^(\d+)s$/.exec(FLAG_BY_NAME.get(flag)?.default ?? '')?.[1])
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

  it('gives a pod as long as delay and grace take, and 5 s more (R20-171, R50-32)', () => {
    const sum = secondsOf('--shutdown-delay') + secondsOf('--shutdown-grace') + 5
    expect(deployment().pod['terminationGracePeriodSeconds']).to.equal(sum)
  })

  it('replaces pods one by one, each only when its successor is ready (R50-23, R50-32)', () => {
    const { spec, container } = deployment()
    expect(spec['replicas']).to.equal(2)
    expect(recordOf(spec['strategy'])['rollingUpdate']).to.deep.equal({ maxSurge: 1, maxUnavailable: 0 })
    expect(objectsOf('PodDisruptionBudget').map((one) => recordOf(one['spec'])['maxUnavailable'])).to.deep.equal([1])
    const paths = ['startupProbe', 'livenessProbe', 'readinessProbe'].map((probe) => {
      const { path, port } = recordOf(recordOf(container[probe])['httpGet'])
      return `${String(port)} ${String(path)}`
    })
    expect(paths).to.deep.equal(['admin /healthz', 'admin /healthz', 'admin /readyz'])
    const { periodSeconds, failureThreshold } = recordOf(container['startupProbe'])
    expect(Number(periodSeconds) * Number(failureThreshold)).to.equal(300)
  })

  it('runs without rights and tells the pod who and where it is (R50-33)', () => {
    const { pod, container } = deployment()
    expect(pod['enableServiceLinks']).to.equal(false)
    expect(pod['securityContext']).to.deep.include({
      runAsNonRoot: true,
      runAsUser: 65_532,
      seccompProfile: { type: 'RuntimeDefault' },
    })
    expect(container['securityContext']).to.deep.equal({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    const names = listOf(container['env']).map(({ name }) => name)
    expect(names).to.deep.equal(['POD_NAME', 'POD_NAMESPACE', 'POD_IP', 'HOST_IP'])
  })
})
