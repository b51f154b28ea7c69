import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect } from 'chai'
import { freePorts } from '../../hack/cluster/free-port.ts'

// What a kernel gives to those who ask for any begins here, unless it was told otherwise.
const KERNEL_FROM = 32_768

describe('freePorts', () => {
  it('gives no port twice', async () => {
    const ports = await freePorts(200)
    expect(new Set(ports).size).to.equal(200)
  })

  it('gives ports that can be had, and none that the kernel gives to others meanwhile', async () => {
    for (const port of await freePorts(20)) {
      expect(port).to.be.within(1024, KERNEL_FROM - 1)
      const server = createServer()
      try {
        await once(server.listen(port, '127.0.0.1'), 'listening')
      } finally {
        server.close()
      }
    }
  })
})
