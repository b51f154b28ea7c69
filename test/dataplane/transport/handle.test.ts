import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { createHandleTransport } from '../../../src/dataplane/transport/handle.ts'
import { transportContract } from '../../contract/transport.ts'

const run = promisify(execFile)
const HANDLE = new URL('../../../src/dataplane/transport/handle.ts', import.meta.url).href

transportContract('handle', () => {
  const made = createHandleTransport()
  if (!made.ok) throw new Error(made.error.message)
  return made.value
})

describe('createHandleTransport', () => {
  const program = `const { createHandleTransport } = await import('${HANDLE}')
const made = createHandleTransport()
console.log(JSON.stringify(made.ok || made.error))`

  it('is refused under the permission model (R60-25)', async () => {
    const args = ['--permission', '--allow-fs-read=*', '--input-type=module', '-e', program]
    const { stdout } = await run(process.execPath, args)
    expect(JSON.parse(stdout)).to.deep.equal({
      errno: 'ERR_ACCESS_DENIED',
      message: 'the permission model of Node is on',
    })
  })

  it('writes nothing to stderr, in a worker thread either', async () => {
    const worker = `import { Worker } from 'node:worker_threads'
new Worker(${JSON.stringify(`(async () => { ${program} })()`)}, { eval: true })`
    const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '-e', worker])
    expect({ stdout, stderr }).to.deep.equal({ stdout: 'true\n', stderr: '' })
  })
})
