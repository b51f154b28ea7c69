// What stands in config/, as far as it can be judged without a cluster.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { formatConfigFault } from '../src/manifests/config-faults.ts'
import { parseOperatorConfig } from '../src/manifests/operator-config.ts'

const ROOT = join(import.meta.dirname, '..')
const files = globSync('config/**/*.yaml', { cwd: ROOT }).toSorted()

describe('config/', () => {
  it('mounts whole volumes, since the kubelet never renews a subPath (R42-12)', () => {
    expect(files).to.have.length.above(10)
    const mounting = files.filter((file) => /^\s*(- )?subPath(Expr)?:/m.test(readFileSync(join(ROOT, file), 'utf8')))
    expect(mounting).to.deep.equal([])
  })

  it('brings a good configuration with the component operator-config (R50-30)', () => {
    const file = 'config/components/operator-config/config.yaml'
    const parsed = parseOperatorConfig([{ file, text: readFileSync(join(ROOT, file), 'utf8') }], () => undefined)
    expect(parsed.ok ? [] : parsed.error.map(formatConfigFault)).to.deep.equal([])
  })
})
