import { expect } from 'chai'
import { replaceBlock, withReplaces } from '../../hack/kube/replaces.ts'

const UPSTREAM = `module k8s.io/kubernetes

require (
	k8s.io/klog/v2 v2.130.1
	k8s.io/client-go v0.0.0
	k8s.io/api v0.0.0 // indirect
	k8s.io/utils v0.0.0-20250604170112-4c0f3b243397
)
`
const BLOCK = `replace (
	k8s.io/api => k8s.io/api v0.37.2
	k8s.io/client-go => k8s.io/client-go v0.37.2
)
`

describe('replaceBlock', () => {
  it('has one line for each staging module, and none for an ordinary one (R90-8)', () => {
    expect(replaceBlock(UPSTREAM, 'v1.37.2')).to.equal(BLOCK)
  })
})

describe('withReplaces', () => {
  it('puts the block in the place of an older one, and leaves its own result alone', () => {
    const older = 'module m\n\nrequire a v1.0.0\n\nreplace (\n\tk8s.io/api => k8s.io/api v0.36.0\n)\n'
    const written = withReplaces(older, BLOCK)
    expect(written).to.equal(`module m\n\nrequire a v1.0.0\n\n${BLOCK}`)
    expect(withReplaces(written, BLOCK)).to.equal(written)
  })

  it('adds the block where there is none', () => {
    expect(withReplaces('module m\n', BLOCK)).to.equal(`module m\n\n${BLOCK}`)
  })
})
