// One request to a contender, whatever is spoken to it: to see that it serves, and what it answers.
import { once } from 'node:events'
import { request as askPlain, type IncomingMessage } from 'node:http'
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2'
import { request as askSecurely } from 'node:https'
import type { Front } from './front.ts'
import { CALL_FIELDS, GRPC_MESSAGE } from './grpc-message.ts'

export interface Answer {
  readonly status: number
  /** latin1. */
  readonly body: string
  readonly trailers: ReadonlyMap<string, string>
}

const HOST = 'shop.example'

/** Asks on a connection of its own; rejects where none stands, or nothing comes whole. */
export function ask(port: number, front: Pick<Front, 'speaks' | 'job'>): Promise<Answer> {
  return front.speaks === 'http' || front.speaks === 'https' ? askByHttp1(port, front.speaks) : askByHttp2(port, front)
}

async function askByHttp1(port: number, speaks: 'http' | 'https'): Promise<Answer> {
  const options = { port, host: '127.0.0.1', path: '/', headers: { host: HOST }, agent: false as const }
  const asking =
    speaks === 'http' ? askPlain(options) : askSecurely({ ...options, servername: HOST, rejectUnauthorized: false })
  const [response] = (await once(asking.end(), 'response')) as [IncomingMessage]
  let body = ''
  for await (const chunk of response.setEncoding('latin1')) body += String(chunk)
  return { status: response.statusCode ?? 0, body, trailers: new Map() }
}

async function askByHttp2(port: number, { speaks, job }: Pick<Front, 'speaks' | 'job'>): Promise<Answer> {
  const scheme = speaks === 'h2' ? 'https' : 'http'
  const session = connect(`${scheme}://127.0.0.1:${port}`, { servername: HOST, rejectUnauthorized: false })
  session.on('error', () => undefined)
  try {
    await once(session, 'connect')
    return await streamed(begin(session, job))
  } finally {
    session.destroy()
  }
}

function begin(session: ClientHttp2Session, job: Front['job']): ClientHttp2Stream {
  if (job === 'request') return session.request({ ':path': '/', ':authority': HOST })
  const stream = session.request({ ':method': 'POST', ':path': '/bench.Echo/Call', ':authority': HOST, ...CALL_FIELDS })
  return stream.end(GRPC_MESSAGE)
}

async function streamed(stream: ClientHttp2Stream): Promise<Answer> {
  const trailers = new Map<string, string>()
  let status = 0
  stream.on('response', (fields) => {
    status = fields[':status'] ?? 0
  })
  stream.on('trailers', (fields) => {
    for (const [name, value] of Object.entries(fields)) trailers.set(name, String(value))
  })
  let body = ''
  for await (const chunk of stream.setEncoding('latin1')) body += String(chunk)
  return { status, body, trailers }
}
