// /healthz, /readyz and /metrics.
import { expect } from 'chai'
import type { AdminSources } from '../../src/admin/paths.ts'
import { AdminBench } from './admin-bench.ts'

describe('probes and metrics of the admin listener', () => {
  let bench: AdminBench

  async function serve(sources: Partial<AdminSources> = {}): Promise<void> {
    bench = await AdminBench.start({ sources })
  }

  afterEach(() => bench.server.close())

  it('answers /healthz by the workers (R30-46)', async () => {
    let healthy = true
    await serve({ healthy: () => healthy })
    expect(await bench.ask('/healthz')).to.include({ status: 200, text: '{\n  "status": "ok"\n}\n' })
    healthy = false
    const reply = await bench.ask('/healthz')
    expect(reply.status).to.equal(503)
    expect(reply.headers['content-type']).to.equal('application/problem+json')
  })

  it('names what /readyz waits for (R30-47)', async () => {
    await serve({ readiness: () => ({ isReady: false, waitsFor: ['worker 1: has no generation yet'] }) })
    const reply = await bench.ask('/readyz')
    expect(reply.status).to.equal(503)
    expect(reply.document).to.deep.equal({
      type: 'about:blank',
      title: 'Service Unavailable',
      status: 503,
      detail: 'waits for worker 1: has no generation yet',
      waitsFor: ['worker 1: has no generation yet'],
    })
  })

  it('lists workers and kinds for /readyz?verbose (R30-49)', async () => {
    const kind = { kind: 'Ingress', required: true, hasSynced: true, state: 'synced', problem: '' }
    await serve({
      workers: () => [{ index: 0, state: 'serving', generation: 57, endpointsVersion: 2113 }],
      kinds: () => [kind, { ...kind, kind: 'services', state: 'forbidden', problem: 'may not list services' }],
    })
    expect((await bench.ask('/readyz?verbose')).document).to.deep.equal({
      status: 'ready',
      workers: [{ worker: 0, state: 'serving', generation: 57, endpointsVersion: 2113 }],
      kinds: [
        { kind: 'Ingress', required: true, state: 'synced', problem: null },
        { kind: 'services', required: true, state: 'forbidden', problem: 'may not list services' },
      ],
    })
    expect((await bench.ask('/readyz')).document).to.deep.equal({ status: 'ready' })
  })

  for (const { accept, format, type } of [
    { accept: undefined, format: 'prometheus', type: 'text/plain; version=0.0.4; charset=utf-8' },
    { accept: '*/*', format: 'prometheus', type: 'text/plain; version=0.0.4; charset=utf-8' },
    { accept: 'text/plain', format: 'prometheus', type: 'text/plain; version=0.0.4; charset=utf-8' },
    {
      accept: 'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.1',
      format: 'openmetrics',
      type: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
    },
    {
      accept: 'text/plain;q=0.9, application/openmetrics-text;q=0.5',
      format: 'prometheus',
      type: 'text/plain; version=0.0.4; charset=utf-8',
    },
    {
      accept: 'application/openmetrics-text;q=0',
      format: 'prometheus',
      type: 'text/plain; version=0.0.4; charset=utf-8',
    },
  ]) {
    it(`writes metrics as ${format} for Accept: ${accept}`, async () => {
      await serve({ metrics: (asked) => Promise.resolve(`# ${asked}\n`) })
      const reply = await bench.ask('/metrics', { headers: accept === undefined ? {} : { accept } })
      expect(reply.text).to.equal(`# ${format}\n`)
      expect(reply.headers['content-type']).to.equal(type)
    })
  }
})
