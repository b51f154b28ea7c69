// Clients that ask all the time, and count what they get: right answers, wrong ones, and those that never came.
import { Agent } from 'node:http'
import { type Answer, ask, isFrom, type Target } from './ask.ts'
import { eventually } from './eventually.ts'

export interface TrafficReport {
  readonly answered: number
  /** Complete answers by somebody else than was right when the request began, or to another request. */
  readonly wrong: readonly string[]
  /** Requests whose connection failed or ended before the answer was complete. */
  readonly lost: readonly string[]
}

/** Keep-alive connections that each send one request after the other. */
const STEADY_CLIENTS = 6
/** Clients that open a connection for every request. */
const FRESH_CLIENTS = 2
/** So many answers in a row from the new side say that every worker serves it. */
const SETTLED = 100

/** Runs from its construction until `stop`. */
export class Traffic {
  readonly #target: Target
  readonly #wrong: string[] = []
  readonly #lost: string[] = []
  readonly #clients: readonly Promise<void>[]
  readonly #agents: Agent[] = []
  #answered = 0
  #right: readonly string[]
  #stopped = false
  #sinceTurn = 0
  #turnedTo = ''

  /** `right` are the Services, pods or statuses that may answer. */
  constructor(target: Target, right: readonly string[]) {
    this.#target = target
    this.#right = right
    const steady = Array.from({ length: STEADY_CLIENTS }, () => this.#client(this.#keepAlive()))
    const fresh = Array.from({ length: FRESH_CLIENTS }, () => this.#client(undefined))
    this.#clients = [...steady, ...fresh]
  }

  /** Resolves when at least `count` more requests were answered. */
  async flow(count: number = SETTLED): Promise<void> {
    const goal = this.#answered + count
    await eventually(() => {
      if (this.#answered < goal) throw new Error(`only ${this.#answered} of ${goal} answers`)
    })
  }

  /**
   * Runs `change` while old and new side may both answer, waits until only the new one does, and from then on counts
   * the old one as wrong. Resolves with the milliseconds that took.
   */
  async turn(to: string, change: () => Promise<unknown>): Promise<number> {
    const began = performance.now()
    this.#right = [...this.#right, to]
    this.#turnedTo = to
    this.#sinceTurn = 0
    await change()
    await eventually(() => {
      if (this.#sinceTurn < SETTLED) throw new Error(`no turn to ${to}: ${this.#report()}`)
    })
    this.#right = [to]
    return performance.now() - began
  }

  async stop(): Promise<TrafficReport> {
    this.#stopped = true
    await Promise.all(this.#clients)
    for (const agent of this.#agents) agent.destroy()
    return { answered: this.#answered, wrong: this.#wrong, lost: this.#lost }
  }

  #keepAlive(): Agent {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    this.#agents.push(agent)
    return agent
  }

  async #client(agent: Agent | undefined): Promise<void> {
    while (!this.#stopped) {
      const right = this.#right
      const mark = `${this.#target.path}?request=${Math.random()}`
      try {
        const answer = await ask({ ...this.#target, path: mark }, agent ? { agent } : {})
        this.#count(answer, mark, right)
      } catch (error) {
        this.#lost.push(String(error))
      }
    }
  }

  #count(answer: Answer, mark: string, right: readonly string[]): void {
    this.#answered += 1
    this.#sinceTurn = isFrom(answer, this.#turnedTo) ? this.#sinceTurn + 1 : 0
    const crossed = answer.echo !== undefined && answer.echo.target !== mark
    if (crossed) this.#wrong.push(`answer to ${answer.echo?.target} came for ${mark}`)
    else if (!right.some((want) => isFrom(answer, want)))
      this.#wrong.push(`${answer.from} where ${right.join(' or ')} was right`)
  }

  #report(): string {
    const some = [...this.#wrong, ...this.#lost].slice(0, 3).join('; ')
    return `${this.#answered} answered, ${this.#wrong.length} wrong, ${this.#lost.length} lost: ${some}`
  }
}
