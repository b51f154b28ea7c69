// A WebSocket client that dials an address and names a host of its own choice.
import { once } from 'node:events'
import { isIP, type LookupFunction } from 'node:net'
import { Agent, type MessageEvent, WebSocket } from 'undici'
import type { Target } from './ask.ts'

const TIMEOUT_MS = 45_000

export class TestSocket {
  readonly #socket: WebSocket
  readonly #agent: Agent
  #closed: string | undefined

  /** Resolves when the upgrade was accepted. */
  static async open({ address, port, host, path }: Target): Promise<TestSocket> {
    const lookup: LookupFunction = (_name, _options, found) => found(null, [{ address, family: isIP(address) }])
    const agent = new Agent({ connect: { lookup } })
    const socket = new WebSocket(`ws://${host}:${port}${path}`, { dispatcher: agent })
    await next(socket, 'open')
    return new TestSocket(socket, agent)
  }

  private constructor(socket: WebSocket, agent: Agent) {
    this.#socket = socket
    this.#agent = agent
    socket.addEventListener('close', ({ code, reason }) => {
      this.#closed = `${code} ${reason}`
    })
  }

  /** Code and reason once either side has closed; `undefined` while it is open. */
  get closed(): string | undefined {
    return this.#closed
  }

  /** Sends a message and resolves with the next one that comes. */
  async exchange(text: string): Promise<string> {
    const answer = next(this.#socket, 'message')
    this.#socket.send(text)
    return String(((await answer) as MessageEvent).data)
  }

  async close(): Promise<void> {
    if (this.#closed === undefined) {
      const closed = next(this.#socket, 'close')
      this.#socket.close()
      await closed
    }
    await this.#agent.destroy()
  }
}

async function next(socket: WebSocket, event: 'open' | 'message' | 'close'): Promise<unknown> {
  const [arrived] = await once(socket, event, { signal: AbortSignal.timeout(TIMEOUT_MS) })
  return arrived
}
