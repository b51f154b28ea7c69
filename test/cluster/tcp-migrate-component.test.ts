// config/components/tcp-migrate as an overlay takes it: R20-23, R50-27.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { expect } from 'chai'
import { loadAll } from 'js-yaml'
import { kubectl } from '../../hack/cluster/install.ts'
import type { KubeObject } from '../../hack/cluster/kube-client.ts'
import { theCluster } from './support/cluster.ts'

const CONFIG = join(import.meta.dirname, '..', '..', 'config')

describe('the component tcp-migrate', () => {
  let overlay = ''

  before(async () => {
    overlay = await mkdtemp(join(tmpdir(), 'ramjet-overlay-'))
    const from = (path: string): string => relative(overlay, join(CONFIG, path))
    await writeFile(
      join(overlay, 'kustomization.yaml'),
      [
        'apiVersion: kustomize.config.k8s.io/v1beta1',
        'kind: Kustomization',
        `resources: ["${from('default')}"]`,
        `components: ["${from('components/tcp-migrate')}"]`,
      ].join('\n'),
    )
  })

  after(() => rm(overlay, { recursive: true }))

  it('sets the sysctl beside what the pod has', async () => {
    const objects = loadAll(await kubectl(theCluster(), ['kustomize', overlay])) as readonly KubeObject[]
    const deployment = objects.find(({ kind }) => kind === 'Deployment') as unknown as {
      spec: { template: { spec: { securityContext: Readonly<Record<string, unknown>> } } }
    }
    const { securityContext } = deployment.spec.template.spec
    expect(securityContext).to.include({ runAsNonRoot: true, runAsUser: 65532 })
    expect(securityContext['sysctls']).to.deep.equal([{ name: 'net.ipv4.tcp_migrate_req', value: '1' }])
  })
})
