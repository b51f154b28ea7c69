// The admin listener on a free port, with sources of a test's choice, asked over real HTTP.
import { request } from 'node:http'
import type { AdminToken } from '../../src/admin/admin-token.ts'
import { type AdminServer, createAdminServer } from '../../src/admin/api.ts'
import type { AdminSources } from '../../src/admin/paths.ts'
import { explainMatch } from '../../src/router/explain.ts'
import { FakeClock } from '../fakes/clock.ts'
import { FakeLogger } from '../fakes/logger.ts'

export interface AdminReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  /** Of a JSON answer; empty else. */
  readonly document: Readonly<Record<string, unknown>>
}

export interface AdminQuestion {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Address to ask at; that of the listener where nothing is said. */
  readonly host?: string
}

export const NO_TOTALS = { requests: 0, errors5xx: 0, latencyCount: 0, latencyMsSum: 0, inFlight: 0, ejections: 0 }

const SOURCES: AdminSources = {
  healthy: () => true,
  readiness: () => ({ isReady: true, waitsFor: [] }),
  workers: () => [],
  kinds: () => [],
  metrics: () => Promise.resolve('# none\n'),
  routes: () => ({ pair: undefined, replica: 'ramjet-0', totalsOf: () => NO_TOTALS }),
  warnings: () => [],
  generations: () => ({ pair: undefined, pinned: undefined, history: [] }),
  pin: () => Promise.resolve({ kind: 'unknown', kept: [] }),
  release: () => Promise.resolve(),
  backends: () => ({ pair: undefined, totalsOf: () => NO_TOTALS, isHealthy: () => undefined }),
  match: () => ({
    pair: undefined,
    explain: ({ generation }, host, path) => explainMatch(generation.routes, host, path),
  }),
  certificates: () => ({ pair: undefined, records: [], nowMs: 0 }),
  settings: () => [],
  replicas: () => [],
}

export interface BenchOptions {
  readonly sources?: Partial<AdminSources>
  readonly protect?: 'writes' | 'all'
  readonly token?: AdminToken
  /** Address to listen on: loopback where nothing is said. */
  readonly host?: string
}

export class AdminBench {
  readonly clock: FakeClock = new FakeClock()
  readonly log: FakeLogger = new FakeLogger()
  readonly server: AdminServer

  static async start(options: BenchOptions = {}): Promise<AdminBench> {
    const bench = new AdminBench(options)
    await bench.server.listen({ host: options.host ?? '127.0.0.1', port: 0 })
    return bench
  }

  private constructor({ sources, protect = 'writes', token }: BenchOptions) {
    const deps = { guard: { protect, token }, timers: this.clock, log: this.log, peerMs: 5000 }
    this.server = createAdminServer({ ...SOURCES, ...sources }, deps)
  }

  get port(): number {
    return this.server.address()?.port ?? 0
  }

  /** `192.0.2.1:80` of the listener. */
  get address(): string {
    return `${this.server.address()?.host}:${this.port}`
  }

  ask(path: string, { method = 'GET', headers = {}, body, host }: AdminQuestion = {}): Promise<AdminReply> {
    return new Promise((resolve, reject) => {
      const at = { host: host ?? this.server.address()?.host, port: this.port }
      const sent = request({ ...at, path, method, headers, agent: false }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          const isJson = String(response.headers['content-type']).includes('json') && text !== ''
          const document = isJson ? (JSON.parse(text) as AdminReply['document']) : {}
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, document })
        })
      })
      sent.on('error', reject)
      sent.end(body)
    })
  }

  post(body: string, headers: Readonly<Record<string, string>> = {}): Promise<AdminReply> {
    return this.ask('/admin/rollback', { method: 'POST', body, headers })
  }
}
