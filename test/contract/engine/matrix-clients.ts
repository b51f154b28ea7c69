// Clients of every version, asked alike: what is said and what comes back is the same, however it is written.
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2'
import { referenceChunked } from '../../fuzz/reference-chunked.ts'
import { type EngineBench, fieldOf, HOST, lineOf } from './bench.ts'

export interface Question {
  readonly method: 'GET' | 'HEAD' | 'POST'
  readonly path: string
  /** The body; `undefined`: none. */
  readonly body?: string
  /** Its length is not said before it is over, where the version has a way to do without. */
  readonly isOpen?: boolean
  /** The value of a trailer `x-sum` behind it, where the version has a way to say it. */
  readonly sum?: string
}

export interface Answer {
  readonly status: number
  readonly body: string
  /** The trailer `x-came`. */
  readonly came: string | undefined
  /** Whether it came to the end that it should have. */
  readonly isWhole: boolean
}

export interface MatrixClient {
  readonly version: '1.0' | '1.1' | 'h2'
  /** Whether trailers can be said in this version. */
  readonly hasTrailers: boolean
  ask(bench: EngineBench, question: Question): Promise<Answer>
}

export const CLIENTS: readonly MatrixClient[] = [
  { version: '1.0', hasTrailers: false, ask: (bench, question) => askByText(bench, question, 0) },
  { version: '1.1', hasTrailers: true, ask: (bench, question) => askByText(bench, question, 1) },
  { version: 'h2', hasTrailers: true, ask: askByHttp2 },
]

async function askByText(bench: EngineBench, question: Question, minorVersion: 0 | 1): Promise<Answer> {
  const client = await bench.send(textOf(question, minorVersion))
  const read = (): Answer | undefined => readAnswer(client.text, question, client.isEnded || client.isClosed)
  await client.when(() => read() !== undefined || client.isClosed, 'an answer')
  const answer = read()
  client.end()
  return answer ?? { status: 0, body: client.text, came: undefined, isWhole: false }
}

function textOf({ method, path, body, isOpen = false, sum }: Question, minorVersion: 0 | 1): string {
  const line = `${method} ${path} HTTP/1.${minorVersion}\r\nHost: ${HOST}\r\n`
  if (body === undefined) return `${line}\r\n`
  if (!isOpen || minorVersion === 0) return `${line}Content-Length: ${body.length}\r\n\r\n${body}`
  const trailers = sum === undefined ? '' : `X-Sum: ${sum}\r\n`
  return `${line}Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n${trailers}\r\n`
}

const UNBOUNDED = { maxHeaders: 1000, maxHeaderBytes: 65_536 }

const INTERIM = /^HTTP\/1\.1 1\d\d.*?\r\n\r\n/s

/** `undefined`: it is not whole, and may yet become so. */
function readAnswer(came: string, { method }: Question, isOver: boolean): Answer | undefined {
  const text = came.replace(INTERIM, '')
  const end = text.indexOf('\r\n\r\n') + 4
  if (end < 4) return undefined
  const status = Number(lineOf(text).split(' ')[1])
  const rest = text.slice(end)
  const whole = { status, came: undefined, isWhole: true }
  if (method === 'HEAD' || status === 204 || status === 304) return { ...whole, body: rest }
  if (fieldOf(text, 'Transfer-Encoding') !== undefined) return readChunks(rest, status, isOver)
  const length = Number(fieldOf(text, 'Content-Length') ?? Number.NaN)
  if (rest.length >= length || (Number.isNaN(length) && isOver)) return { ...whole, body: rest }
  return isOver ? { ...whole, body: rest, isWhole: false } : undefined
}

function readChunks(text: string, status: number, isOver: boolean): Answer | undefined {
  const body = referenceChunked(text, UNBOUNDED)
  if (body.kind !== 'done') return isOver ? { status, body: text, came: undefined, isWhole: false } : undefined
  const at = body.trailers.findIndex((name) => name.toLowerCase() === 'x-came')
  return { status, body: body.data, came: at < 0 ? undefined : body.trailers[at + 1], isWhole: true }
}

async function askByHttp2(bench: EngineBench, question: Question): Promise<Answer> {
  const session = connect(`http://127.0.0.1:${bench.port}`)
  session.on('error', () => undefined)
  try {
    return await answerOf(begin(session, question))
  } finally {
    session.destroy()
  }
}

function begin(session: ClientHttp2Session, { method, path, body, isOpen = false, sum }: Question): ClientHttp2Stream {
  const length = body === undefined || isOpen ? {} : { 'content-length': String(body.length) }
  const fields = { ':method': method, ':path': path, ':authority': HOST, ...length }
  const stream = session.request(fields, { endStream: body === undefined, waitForTrailers: sum !== undefined })
  stream.on('error', () => undefined)
  stream.on('wantTrailers', () => stream.sendTrailers({ 'x-sum': sum }))
  if (body !== undefined) stream.end(Buffer.from(body, 'latin1'))
  return stream
}

function answerOf(stream: ClientHttp2Stream): Promise<Answer> {
  let status = 0
  let body = ''
  let came: string | undefined
  let hasEnded = false
  stream.on('response', (fields) => {
    status = fields[':status'] ?? 0
  })
  stream.on('trailers', (fields) => {
    came = fields['x-came'] === undefined ? undefined : String(fields['x-came'])
  })
  stream.on('data', (chunk: Buffer) => {
    body += chunk.toString('latin1')
  })
  stream.on('end', () => {
    hasEnded = true
  })
  return new Promise((resolve) => {
    stream.on('close', () => resolve({ status, body, came, isWhole: hasEnded && !isCut(stream) }))
  })
}

// An answer that is whole may be followed by NO_ERROR, for a request that nobody wants the rest of.
function isCut({ rstCode }: ClientHttp2Stream): boolean {
  return rstCode !== 0
}
