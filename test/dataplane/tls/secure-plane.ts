// A data plane with threads that listens by TLS, pairs whose hosts have certificates, and clients of it.
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'
import type { Pair } from '../../../src/model/generation.ts'
import { asPair, type Sites, tablesOf, withRoutesDigest } from '../../builders/pair.ts'
import { certificateTableOf, type NameSpec } from '../../builders/secure-names.ts'
import type { WorkerAnswer } from '../../fakes/test-engine.ts'
import { type Harness, type HarnessOptions, startHarness } from '../harness.ts'

const LOCAL = [{ host: '127.0.0.1', port: 0 }]

/** A data plane of test workers with one TLS listener and no other. */
export function startSecurePlane(options: HarnessOptions = {}): Promise<Harness> {
  return startHarness({ http: [], https: LOCAL, ...options })
}

/** A pair of these sites in which these names have certificates. */
export function securePair(sites: Sites, names: Readonly<Record<string, NameSpec>>, generation: number): Pair {
  const { routes, endpoints } = tablesOf(sites)
  return asPair(
    { routes: withRoutesDigest({ ...routes, certificates: certificateTableOf(names) }), endpoints },
    { generation },
  )
}

export interface VisitOptions extends Omit<ConnectionOptions, 'session'> {
  readonly path?: string
  /** Of a visit before. */
  readonly session?: Buffer | undefined
}

/** What one connection learned. */
export interface Visit {
  readonly worker: number
  readonly generation: number
  /** Common name of the certificate; empty on a connection that was resumed. */
  readonly name: string
  readonly isResumed: boolean
  /** For the next visit. */
  readonly session: Buffer | undefined
}

/** One request on a connection of its own. Rejects where the handshake fails. */
export async function visit(port: number, host: string, options: VisitOptions = {}): Promise<Visit> {
  const { path = '/', session: before, ...more } = options
  const place = { host: '127.0.0.1', port, servername: host, rejectUnauthorized: false }
  const socket = connect({ ...place, ...more, ...(before && { session: before }) })
  let session: Buffer | undefined
  socket.on('session', (one: Buffer) => {
    session = one
  })
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('secureConnect', resolve)
      socket.once('error', reject)
      socket.once('close', () => reject(new Error('closed in the handshake')))
    })
    const answer = await askOn(socket, host, path)
    const { subject } = socket.getPeerCertificate()
    const { worker, generation } = answer
    return { worker, generation, name: String(subject?.CN ?? ''), isResumed: socket.isSessionReused(), session }
  } finally {
    socket.destroy()
  }
}

function askOn(socket: TLSSocket, host: string, path: string): Promise<WorkerAnswer> {
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
  let text = ''
  return new Promise((resolve, reject) => {
    socket.on('data', (chunk) => {
      text += String(chunk)
      const body = text.slice(text.indexOf('\r\n\r\n') + 4)
      if (body.endsWith('}')) resolve(JSON.parse(body))
    })
    socket.once('close', () => reject(new Error(`closed before an answer; received ${text}`)))
  })
}
