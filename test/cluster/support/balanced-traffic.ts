// Clients in front of several replicas, as behind a Service: a new connection goes to a replica that is ready, and an
// open one stays where it is until the replica says that it closes.
import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { ask, isFrom } from './ask.ts'
import { eventually } from './eventually.ts'
import type { Ramjet } from './ramjet.ts'

export interface BalancedReport {
  /** Right answers by replica, in the order in which these were added. */
  readonly answered: readonly number[]
  /** Answers of others, and those that keep a connection to a replica that is going (R20-166). */
  readonly wrong: readonly string[]
  readonly lost: readonly string[]
}

/** How often a balancer looks at `/readyz`. */
const LOOK_MS = 100
const STEADY_CLIENTS = 8
const FRESH_CLIENTS = 3
/** One request in so many is slow, so that some are in flight whenever a replica is told to end. */
const SLOW_EVERY = 20
const SLOW_MS = 400

interface Replica {
  readonly ramjet: Ramjet
  isReady: boolean
  answered: number
}

/** Runs from its construction until `stop`. */
export class BalancedTraffic {
  readonly #url: string
  readonly #want: string
  readonly #replicas: Replica[] = []
  readonly #wrong: string[] = []
  readonly #lost: string[] = []
  readonly #running: readonly Promise<void>[]
  #asked = 0
  #isStopped = false

  /** `want` is the Service that must answer at `url`. */
  constructor(url: string, want: string, replicas: readonly Ramjet[]) {
    this.#url = url
    this.#want = want
    for (const ramjet of replicas) this.add(ramjet)
    const clients = [
      ...Array.from({ length: STEADY_CLIENTS }, () => this.#stay()),
      ...Array.from({ length: FRESH_CLIENTS }, () => this.#come()),
    ]
    this.#running = [this.#look(), ...clients]
  }

  /** `ramjet` is ready and takes its share from now on. */
  add(ramjet: Ramjet): void {
    this.#replicas.push({ ramjet, isReady: true, answered: 0 })
  }

  /** Resolves when `ramjet` has answered `count` more requests. */
  async flow(ramjet: Ramjet, count: number): Promise<void> {
    const replica = this.#replicas.find((one) => one.ramjet === ramjet)
    const goal = (replica?.answered ?? 0) + count
    await eventually(() => {
      if ((replica?.answered ?? 0) < goal) throw new Error(`${replica?.answered} of ${goal} answers`)
    })
  }

  async stop(): Promise<BalancedReport> {
    this.#isStopped = true
    await Promise.all(this.#running)
    return { answered: this.#replicas.map(({ answered }) => answered), wrong: this.#wrong, lost: this.#lost }
  }

  async #look(): Promise<void> {
    while (!this.#isStopped) {
      for (const replica of this.#replicas) replica.isReady = (await replica.ramjet.readiness()).status === 200
      await sleep(LOOK_MS)
    }
  }

  /** A client that keeps its connection for as long as it may. */
  async #stay(): Promise<void> {
    while (!this.#isStopped) {
      const replica = this.#choose()
      if (!replica) await sleep(LOOK_MS)
      else {
        const agent = new Agent({ keepAlive: true, maxSockets: 1 })
        while (!this.#isStopped && (await this.#ask(replica, agent)));
        agent.destroy()
      }
    }
  }

  /** A client with a connection for every request. */
  async #come(): Promise<void> {
    while (!this.#isStopped) {
      const replica = this.#choose()
      if (replica) await this.#ask(replica, undefined)
      else await sleep(LOOK_MS)
    }
  }

  #choose(): Replica | undefined {
    const ready = this.#replicas.filter(({ isReady }) => isReady)
    return ready[Math.floor(Math.random() * ready.length)]
  }

  /** Whether the connection may be used again. */
  async #ask(replica: Replica, agent: Agent | undefined): Promise<boolean> {
    this.#asked += 1
    const slow = this.#asked % SLOW_EVERY === 0 ? `&delay=${SLOW_MS}` : ''
    const { isReady } = replica
    const target = replica.ramjet.target(`${this.#url}?request=${this.#asked}${slow}`)
    try {
      const answer = await ask(target, agent ? { agent } : {})
      if (!isFrom(answer, this.#want)) this.#wrong.push(answer.from)
      else if (answer.echo?.target !== target.path) this.#wrong.push(`${target.path} got ${answer.echo?.target}`)
      else replica.answered += 1
      const stays = answer.headers.connection !== 'close'
      if (stays && !isReady) this.#wrong.push(`${replica.ramjet.address} is not ready and keeps a connection`)
      return stays
    } catch (error) {
      this.#lost.push(`${replica.ramjet.address}: ${String(error)}`)
      return false
    }
  }
}
