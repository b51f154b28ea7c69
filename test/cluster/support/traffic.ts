// Clients that ask all the time, and count what they get: right answers, wrong ones, and those that never came.
import { Agent } from 'node:http'
import { type Answer, ask, isFrom, type Target } from './ask.ts'
import { eventually } from './eventually.ts'

export interface TrafficReport {
  readonly answered: number
  /** Complete answers by somebody who was not right at any time while the request ran, or to another request. */
  readonly wrong: readonly string[]
  /** Requests whose connection failed or ended before the answer was complete. */
  readonly lost: readonly string[]
}

/** Keep-alive connections that each send one request after the other. */
const STEADY_CLIENTS = 6
/** Clients that open a connection for every request. */
const FRESH_CLIENTS = 2
/** Answers that a test lets pass between two changes. */
const FLOW = 100
/**
 * So many answers in a row from the new side, to each client, say that every worker serves it: a steady client's
 * connection belongs to one worker, and fresh connections are spread over all.
 */
const SETTLED = 15

/** One client: how many answers in a row came from the side that traffic turns to. */
interface Client {
  readonly agent: Agent | undefined
  streak: number
}

/** Runs from `begin` until `stop`. */
export class Traffic {
  readonly #target: Target
  readonly #wrong: string[] = []
  readonly #lost: string[] = []
  readonly #clients: readonly Client[]
  readonly #running: readonly Promise<void>[]
  #answered = 0
  /** Who may answer a request that begins now; `undefined` while that is not settled yet. */
  #right: readonly string[] | undefined
  #stopped = false
  #turnedTo = ''

  /**
   * Resolves when every client gets its answers from `right`, a Service, a pod or a status. From then on all else
   * counts as wrong.
   */
  static async begin(target: Target, right: string): Promise<Traffic> {
    const traffic = new Traffic(target)
    try {
      await traffic.#settle(right)
      return traffic
    } catch (error) {
      await traffic.stop()
      throw error
    }
  }

  private constructor(target: Target) {
    this.#target = target
    const agents = Array.from({ length: STEADY_CLIENTS }, () => new Agent({ keepAlive: true, maxSockets: 1 }))
    const fresh = Array.from({ length: FRESH_CLIENTS }, () => undefined)
    this.#clients = [...agents, ...fresh].map((agent) => ({ agent, streak: 0 }))
    this.#running = this.#clients.map((client) => this.#run(client))
  }

  /** Resolves when at least `count` more requests were answered. */
  async flow(count: number = FLOW): Promise<void> {
    const goal = this.#answered + count
    await eventually(() => {
      if (this.#answered < goal) throw new Error(`only ${this.#answered} of ${goal} answers`)
    })
  }

  /**
   * Runs `change` while old and new side may both answer, waits until only the new one does, and from then on counts
   * the old one as wrong. Resolves with the milliseconds that took.
   */
  async turn(to: string, change: () => Promise<unknown>, withinMs?: number): Promise<number> {
    const began = performance.now()
    this.#right = [...(this.#right ?? []), to]
    await change()
    await this.#settle(to, withinMs)
    return performance.now() - began
  }

  async stop(): Promise<TrafficReport> {
    this.#stopped = true
    await Promise.all(this.#running)
    for (const { agent } of this.#clients) agent?.destroy()
    return { answered: this.#answered, wrong: this.#wrong, lost: this.#lost }
  }

  /** Waits until every client has seen `to` often enough in a row, and allows nothing else from then on. */
  async #settle(to: string, withinMs?: number): Promise<void> {
    this.#turnedTo = to
    for (const client of this.#clients) client.streak = 0
    await eventually(() => {
      if (this.#clients.some(({ streak }) => streak < SETTLED)) throw new Error(`no turn to ${to}: ${this.#report()}`)
    }, withinMs)
    this.#right = [to]
  }

  async #run(client: Client): Promise<void> {
    const options = client.agent ? { agent: client.agent } : {}
    while (!this.#stopped) {
      const right = this.#right
      const path = `${this.#target.path}?request=${Math.random()}`
      try {
        const answer = await ask({ ...this.#target, path }, options)
        this.#answered += 1
        client.streak = isFrom(answer, this.#turnedTo) ? client.streak + 1 : 0
        // A request that began before a change may reach a worker after it: whoever was right meanwhile may answer.
        this.#judge(answer, path, right && [...new Set([...right, ...(this.#right ?? [])])])
      } catch (error) {
        this.#lost.push(String(error))
      }
    }
  }

  #judge(answer: Answer, path: string, right: readonly string[] | undefined): void {
    const crossed = answer.echo !== undefined && answer.echo.target !== path
    if (crossed) this.#wrong.push(`answer to ${answer.echo?.target} came for ${path}`)
    else if (right && !right.some((want) => isFrom(answer, want))) {
      this.#wrong.push(`${answer.from} where ${right.join(' or ')} was right`)
    }
  }

  #report(): string {
    const some = [...this.#wrong, ...this.#lost].slice(0, 3).join('; ')
    return `${this.#answered} answered, ${this.#wrong.length} wrong, ${this.#lost.length} lost: ${some}`
  }
}
