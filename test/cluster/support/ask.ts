// One HTTP request as a client of the proxy sends it, and what came back.
import { type Agent, type IncomingMessage, request } from 'node:http'
import type { Echo } from '../../../hack/cluster/echo-server.ts'

export interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: string
  /** What the echo pod said; `undefined` when somebody else answered. */
  readonly echo: Echo | undefined
  /** The pod that answered, or the status where none did: what most tests compare. */
  readonly from: string
}

export interface AskOptions {
  /** Without an agent the request has a connection of its own. */
  readonly agent?: Agent
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** The address that the client is bound to. */
  readonly from?: string
  /** Milliseconds until the answer must be complete. */
  readonly timeoutMs?: number
}

export interface Target {
  /** Address and port that are dialled. */
  readonly address: string
  readonly port: number
  /** Goes out as the Host field, as it is. */
  readonly host: string
  /** The request target, as it is: not even `..` is touched. */
  readonly path: string
}

/** A machine that is busy with something else takes several times as long as a quiet one. */
const TIMEOUT_MS = 20_000

/** Resolves with the whole answer. Rejects when the connection fails or ends before it is complete. */
export function ask(target: Target, options: AskOptions = {}): Promise<Answer> {
  const { address, port, host, path } = target
  const { agent = false, method = 'GET', body, timeoutMs = TIMEOUT_MS } = options
  const headers = { host, ...options.headers }
  const from = options.from === undefined ? {} : { localAddress: options.from }
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(timeoutMs)
    const outgoing = request({ host: address, port, path, method, agent, headers, signal, ...from }, (incoming) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.once('error', reject)
      incoming.once('end', () => resolve(answerOf(incoming, Buffer.concat(chunks).toString())))
    })
    outgoing.once('error', reject)
    outgoing.end(body)
  })
}

function answerOf({ statusCode = 0, headers }: IncomingMessage, body: string): Answer {
  const echo = statusCode === 200 && body.startsWith('{"pod":') ? (JSON.parse(body) as Echo) : undefined
  return { status: statusCode, headers, body, echo, from: echo?.pod ?? String(statusCode) }
}

/** Whether an answer came from a pod named `want`, or of a Service named so, or has that status. */
export function isFrom({ from }: Pick<Answer, 'from'>, want: string): boolean {
  return from === want || from.replace(/-\d+$/, '') === want
}
