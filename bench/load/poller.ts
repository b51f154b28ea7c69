// Asks over connections that stay open, as clients do, until the right pod answers.
import { Agent, get } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'

// Enough that no worker is left without a connection: the kernel spreads them by a hash of the port.
const CONNECTIONS = 8
const PAUSE_MS = 1
const GIVE_UP_MS = 10_000

export interface ArrivalTimes {
  /** Milliseconds to the first right answer. */
  readonly firstMs: number
  /** Milliseconds until every connection had its right answer, so every worker serves the change. */
  readonly everywhereMs: number
}

export class Poller {
  readonly #port: number
  readonly #agents: readonly Agent[]

  constructor(port: number) {
    this.#port = port
    this.#agents = Array.from({ length: CONNECTIONS }, () => new Agent({ keepAlive: true, maxSockets: 1 }))
  }

  /** Asks `host` on one connection after another, from now on, until each has heard from `pod`. */
  async until(host: string, pod: string): Promise<ArrivalTimes> {
    const start = performance.now()
    const waiting = new Set(this.#agents)
    let firstMs: number | undefined
    while (waiting.size > 0) {
      for (const agent of waiting) {
        const answer = await this.#ask(agent, host)
        const elapsed = performance.now() - start
        if (answer === pod) {
          firstMs ??= elapsed
          waiting.delete(agent)
        } else if (elapsed > GIVE_UP_MS) {
          throw new Error(`${host} is not served by ${pod} after ${GIVE_UP_MS} ms: ${answer}`)
        }
        if (firstMs === undefined) await delay(PAUSE_MS)
      }
    }
    return { firstMs: firstMs ?? 0, everywhereMs: performance.now() - start }
  }

  close(): void {
    for (const agent of this.#agents) agent.destroy()
  }

  /** The name of the pod that answered, or the status of an answer that is no pod's. */
  async #ask(agent: Agent, host: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const options = { agent, host: '127.0.0.1', port: this.#port, path: '/', headers: { host } }
      get(options, (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => {
          text += chunk
        })
        response.once('end', () => resolve(podIn(text) ?? String(response.statusCode)))
        response.once('error', reject)
      }).once('error', reject)
    })
  }
}

function podIn(text: string): string | undefined {
  return /^\{"pod":"([^"]+)"/.exec(text)?.[1]
}
