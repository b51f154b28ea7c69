// An overlay as its author writes it: the default install, with one component of config/components.
import { writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { temporaryFolder } from '../../fakes/temporary-folder.ts'

const CONFIG = join(import.meta.dirname, '..', '..', '..', 'config')

/** The folder of the overlay, for as long as the tests of the surrounding `describe` run. */
export function overlayWith(component: string): string {
  const folder = temporaryFolder('overlay')
  const from = (path: string): string => relative(folder, join(CONFIG, path))
  before(() =>
    writeFileSync(
      join(folder, 'kustomization.yaml'),
      [
        'apiVersion: kustomize.config.k8s.io/v1beta1',
        'kind: Kustomization',
        `resources: ["${from('default')}"]`,
        `components: ["${from(`components/${component}`)}"]`,
      ].join('\n'),
    ),
  )
  return folder
}
