// config/components/tcp-migrate as an overlay takes it: R20-23, R50-27.
import { expect } from 'chai'
import { loadAll } from 'js-yaml'
import { kubectl } from '../../hack/cluster/install.ts'
import type { KubeObject } from '../../hack/cluster/kube-client.ts'
import { theCluster } from './support/cluster.ts'
import { overlayWith } from './support/overlay.ts'

describe('the component tcp-migrate', () => {
  const overlay = overlayWith('tcp-migrate')

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
