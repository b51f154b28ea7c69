import { connect, type Socket } from 'node:net'
import { expect } from 'chai'
import type { AdminSources } from '../../src/admin/paths.ts'
import { AdminBench } from './admin-bench.ts'

describe('the admin listener', () => {
  let bench: AdminBench

  async function serve(sources: Partial<AdminSources> = {}): Promise<void> {
    bench = await AdminBench.start({ sources })
  }

  afterEach(() => bench.server.close())

  for (const path of ['/healthz', '/readyz', '/metrics', '/admin/routes', '/admin/warnings']) {
    it(`${path} takes GET and HEAD alone, and nothing may keep its answer (R32-6)`, async () => {
      await serve()
      const got = await bench.ask(path)
      const head = await bench.ask(path, { method: 'HEAD' })
      expect(got.headers['cache-control']).to.equal('no-store')
      expect(head.text).to.equal('')
      expect(head.headers['content-length']).to.equal(String(Buffer.byteLength(got.text)))
      const posted = await bench.ask(path, { method: 'POST', body: '{}' })
      expect(posted.status).to.equal(405)
      expect(posted.headers).to.include({ allow: 'GET, HEAD', 'content-type': 'application/problem+json' })
    })
  }

  it('answers 404 with the paths there are', async () => {
    await serve()
    for (const path of ['/', '/admin', '/__proto__', '/constructor', '/admin/routes/']) {
      const reply = await bench.ask(path)
      expect(reply.status).to.equal(404)
      expect(reply.document['paths']).to.include('/admin/routes')
    }
  })

  it('answers 500 and logs where a source throws', async () => {
    await serve({
      warnings: () => {
        throw new Error('secret')
      },
    })
    const reply = await bench.ask('/admin/warnings')
    expect(reply.status).to.equal(500)
    expect(reply.text).not.to.include('secret')
    expect(bench.log.of('error').map(({ message }) => message)).to.include('admin request failed')
  })

  it('lets no crowd of idle connections keep a probe out', async () => {
    await serve()
    const idle = await Promise.all(Array.from({ length: 256 }, () => answeredConnection(bench.port)))
    // The one that finds no room makes some for the next.
    const probes = [await bench.ask('/healthz').catch(() => undefined), await bench.ask('/healthz')]
    expect(probes[1]?.status).to.equal(200)
    for (const socket of idle) socket.destroy()
  })

  it('closes open connections when it is closed', async () => {
    await serve()
    const socket = connect(bench.port, '127.0.0.1')
    await new Promise((resolve) => socket.once('connect', resolve))
    socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n')
    await new Promise((resolve) => socket.once('data', resolve))
    const closed = new Promise((resolve) => socket.once('close', resolve))
    await bench.server.close()
    await closed
    expect(bench.server.address()).to.equal(undefined)
  })
})

/** A connection on which one request was answered, and which stays. */
async function answeredConnection(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n')
  await new Promise((resolve) => socket.once('data', resolve))
  return socket
}
