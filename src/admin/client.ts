// The admin API as another program asks it: the commands, and one replica asking its peers.
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Timers } from '../lib/timers.ts'

export interface AdminCall {
  /** `http://127.0.0.1:10254`; a path in it stands before those of the API. */
  readonly url: string
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** With the query. */
  readonly path: string
  /** `undefined`: none is sent. */
  readonly token: string | undefined
  /** Sent as JSON; `undefined`: no body. */
  readonly body?: unknown
  /** Until the whole answer is there. */
  readonly timeoutMs: number
  /** A longer answer is an error. */
  readonly maxBytes: number
}

export interface AdminReply {
  readonly status: number
  readonly body: string
}

/** Asks once, on a connection of its own; follows no redirect. Rejects when no whole answer comes in time. */
export function callAdmin(call: AdminCall, timers: Timers): Promise<AdminReply> {
  return new Promise((resolve, reject) => {
    const { url, method, path, body, timeoutMs } = call
    const send = url.startsWith('https:') ? httpsRequest : httpRequest
    const text = body === undefined ? undefined : JSON.stringify(body)
    const options: RequestOptions = { method, headers: headersOf(call, text), agent: false }
    const sent = send(new URL(`${url.replace(/\/+$/, '')}${path}`), options)
    const cancel = timers.after(timeoutMs, () => sent.destroy(new Error(`no answer within ${timeoutMs} ms`)))
    const fail = (error: Error): void => {
      cancel()
      reject(error)
    }
    sent.on('error', fail)
    // With nobody to take it the runtime drops the connection and tells nobody: the promise would never settle.
    sent.once('upgrade', (_response, socket) => {
      socket.destroy()
      fail(new Error('the answer is of another protocol'))
    })
    sent.once('response', (response) => {
      readAll(response, call.maxBytes).then(
        (answer) => {
          cancel()
          resolve({ status: response.statusCode ?? 0, body: answer })
          return undefined
        },
        (error: Error) => {
          sent.destroy()
          fail(error)
        },
      )
    })
    sent.end(text)
  })
}

/** What an error of the admin API says; the status where it says nothing. */
export function detailOf({ status, body }: AdminReply): string {
  try {
    const document: unknown = JSON.parse(body)
    const detail = typeof document === 'object' && document !== null && 'detail' in document ? document.detail : ''
    return typeof detail === 'string' && detail !== '' ? detail : `status ${status}`
  } catch {
    return `status ${status}`
  }
}

function headersOf({ token }: AdminCall, text: string | undefined): Record<string, string | number> {
  return {
    Accept: 'application/json',
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    ...(text === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
  }
}

async function readAll(response: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response) {
    if (!Buffer.isBuffer(chunk)) continue
    bytes += chunk.length
    if (bytes > maxBytes) throw new Error(`the answer is longer than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
