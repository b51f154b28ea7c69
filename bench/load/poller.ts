// Asks over connections that stay open, as clients do, until the right pod answers; or opens one after the other until it
// is shown the right certificate, which only a new one is.
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { connect } from 'node:tls'
import { messageOf } from '../../src/lib/errors.ts'

// Enough that no worker is left without a connection: the kernel spreads them by a hash of the port.
const CONNECTIONS = 8
const PAUSE_MS = 1
const GIVE_UP_MS = 30_000

/** What a host shows once a change is served: the name of a pod, or the fingerprint of a certificate. */
export interface Awaited {
  readonly sees: 'pod' | 'certificate'
  readonly host: string
  readonly answer: string
}

export interface ArrivalTimes {
  /** Milliseconds to the first right answer. */
  readonly firstMs: number
  /** Milliseconds until every connection had its right answer, so every worker serves the change. */
  readonly everywhereMs: number
}

export interface PolledPorts {
  readonly httpPort: number
  readonly httpsPort: number
}

export class Poller {
  readonly #ports: PolledPorts
  readonly #agents: readonly Agent[]

  constructor(ports: PolledPorts) {
    this.#ports = ports
    this.#agents = Array.from({ length: CONNECTIONS }, () => new Agent({ keepAlive: true, maxSockets: 1 }))
  }

  /** Asks `host` on one connection after another, from now on, until each has heard the answer. */
  async until({ sees, host, answer: wanted }: Awaited): Promise<ArrivalTimes> {
    const start = performance.now()
    const waiting = new Set(this.#agents)
    let firstMs: number | undefined
    while (waiting.size > 0) {
      for (const agent of waiting) {
        const answer = await (sees === 'pod' ? this.#ask(agent, host) : this.#certificateOf(host))
        const elapsed = performance.now() - start
        if (answer === wanted) {
          firstMs ??= elapsed
          waiting.delete(agent)
        } else if (elapsed > GIVE_UP_MS) {
          throw new Error(`${host} does not show ${wanted} after ${GIVE_UP_MS} ms: ${answer}`)
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
      const options = { agent, host: '127.0.0.1', port: this.#ports.httpPort, path: '/', headers: { host } }
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

  /** The fingerprint of what a new connection is shown, or why there was none. */
  async #certificateOf(host: string): Promise<string> {
    const socket = connect({
      port: this.#ports.httpsPort,
      host: '127.0.0.1',
      servername: host,
      rejectUnauthorized: false,
    })
    socket.on('error', () => undefined)
    try {
      await once(socket, 'secureConnect')
      return socket.getPeerCertificate().fingerprint256
    } catch (error) {
      return messageOf(error)
    } finally {
      socket.destroy()
    }
  }
}

function podIn(text: string): string | undefined {
  return /^\{"pod":"([^"]+)"/.exec(text)?.[1]
}
