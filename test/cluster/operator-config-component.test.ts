// config/components/operator-config as an overlay takes it: R42-12, R50-30.
import { expect } from 'chai'
import { loadAll } from 'js-yaml'
import { kubectl } from '../../hack/cluster/install.ts'
import type { KubeObject } from '../../hack/cluster/kube-client.ts'
import { theCluster } from './support/cluster.ts'
import { overlayWith } from './support/overlay.ts'

interface Pod {
  readonly containers: readonly {
    readonly args: readonly string[]
    readonly volumeMounts: readonly Readonly<Record<string, unknown>>[]
  }[]
  readonly volumes: readonly { readonly name: string; readonly configMap?: { readonly name: string } }[]
}

describe('the component operator-config', () => {
  const overlay = overlayWith('operator-config')

  it('mounts the ConfigMap whole and starts Ramjet with its folder', async () => {
    const objects = loadAll(await kubectl(theCluster(), ['kustomize', overlay])) as readonly KubeObject[]
    const map = objects.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === 'ramjet-config')
    expect(map?.['data']).to.have.property('config.yaml')
    const deployment = objects.find(({ kind }) => kind === 'Deployment') as unknown as {
      spec: { template: { spec: Pod } }
    }
    const { containers, volumes } = deployment.spec.template.spec
    expect(containers[0]?.args).to.include('--config=/etc/ramjet/config')
    expect(containers[0]?.volumeMounts).to.deep.equal([
      { mountPath: '/etc/ramjet/config', name: 'config', readOnly: true },
    ])
    expect(volumes).to.deep.equal([{ configMap: { name: 'ramjet-config' }, name: 'config' }])
  })

  it('is taken by the API server (R50-52)', async () => {
    const printed = await kubectl(theCluster(), [
      'apply',
      '--server-side',
      '--dry-run=server',
      '--force-conflicts',
      '-k',
      overlay,
    ])
    expect(printed).to.contain('configmap/ramjet-config serverside-applied (server dry run)')
    expect(printed).to.contain('deployment.apps/ramjet serverside-applied (server dry run)')
  })
})
