// Posts audit records to --audit-webhook (R30-22): one after the other, never in the way of anything.
import { request as httpRequest, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { messageOf } from '../lib/errors.ts'
import type { Timers } from '../lib/timers.ts'
import type { Logger } from '../observability/log.ts'

export interface AuditWebhookDeps {
  /** An http or https URL. */
  readonly url: string
  /** `ramjet/VERSION`. */
  readonly userAgent: string
  readonly timers: Timers
  readonly log: Logger
  /** In which it must have answered. */
  readonly answerMs: number
}

const MAX_WAITING = 16

/** One POST for each record, within `answerMs`, without a second try. */
export class AuditWebhook {
  readonly #deps: AuditWebhookDeps
  readonly #waiting: string[] = []
  readonly #stopped = new AbortController()
  #isPosting = false
  #failures = 0

  constructor(deps: AuditWebhookDeps) {
    this.#deps = deps
  }

  /** Records that did not reach the webhook, those included for which there was no room. */
  get failures(): number {
    return this.#failures
  }

  post(document: unknown): void {
    if (this.#stopped.signal.aborted) return
    if (this.#waiting.length >= MAX_WAITING) {
      this.#failed(`${MAX_WAITING} records wait already`)
      return
    }
    this.#waiting.push(JSON.stringify(document))
    void this.#run()
  }

  /** Gives up what waits and what is under way. */
  stop(): void {
    this.#waiting.length = 0
    this.#stopped.abort()
  }

  async #run(): Promise<void> {
    if (this.#isPosting) return
    this.#isPosting = true
    for (let body = this.#waiting.shift(); body !== undefined; body = this.#waiting.shift()) {
      const fault = await this.#send(body)
      if (fault !== undefined && !this.#stopped.signal.aborted) this.#failed(fault)
    }
    this.#isPosting = false
  }

  /** Resolves with what went wrong; `undefined`: it was taken. */
  #send(body: string): Promise<string | undefined> {
    const { url, userAgent, timers, answerMs } = this.#deps
    const headers = { 'Content-Type': 'application/json', 'User-Agent': userAgent, 'Content-Length': byteLength(body) }
    return new Promise((resolve) => {
      const options: RequestOptions = { method: 'POST', headers, agent: false, signal: this.#stopped.signal }
      const sent = (url.startsWith('https:') ? httpsRequest : httpRequest)(url, options)
      const cancel = timers.after(answerMs, () => sent.destroy(new Error(`no answer within ${answerMs} ms`)))
      const done = (fault: string | undefined): void => {
        cancel()
        resolve(fault)
      }
      sent.once('response', (response) => {
        const { statusCode = 0 } = response
        // Its body is of no interest, and a connection is used once.
        response.destroy()
        done(statusCode >= 200 && statusCode < 300 ? undefined : `status ${statusCode}`)
      })
      // With nobody to take it the runtime drops the connection and tells nobody: all that waits would wait for ever.
      sent.once('upgrade', (_response, socket) => {
        socket.destroy()
        done('the answer is of another protocol')
      })
      sent.on('error', (error) => done(messageOf(error)))
      sent.end(body)
    })
  }

  #failed(reason: string): void {
    this.#failures += 1
    this.#deps.log.warn({ reason }, 'audit webhook failed')
  }
}

function byteLength(text: string): number {
  return Buffer.byteLength(text)
}
