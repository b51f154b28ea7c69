// Keep-alive connections that each ask one question after the other, and what became of every question.
import { setTimeout as sleep } from 'node:timers/promises'
import { type RawAnswer, RawConnection } from '../fakes/raw-connection.ts'

export interface Question {
  readonly host: string
  readonly path: string
  /** What is wrong with an answer; `undefined`: nothing. */
  judge(answer: RawAnswer): string | undefined
}

export interface LostQuestion {
  /** The client's port. */
  readonly port: number
  /** Questions that this connection had answered before. */
  readonly answeredBefore: number
}

export interface LoadOptions {
  readonly port: number
  readonly connections: number
  readonly next: () => Question
  /** Between an answer and the next question. */
  readonly pauseMs?: number
  /** Questions of one connection, before it is closed and another one is opened. */
  readonly perConnection?: number
}

export interface LoadReport {
  readonly answered: number
  readonly wrong: readonly string[]
  readonly lost: readonly LostQuestion[]
}

/** Runs from its construction until `stop`. */
export class Load {
  readonly #options: LoadOptions
  readonly #running: readonly Promise<void>[]
  readonly #open = new Set<RawConnection>()
  readonly #wrong: string[] = []
  readonly #lost: LostQuestion[] = []
  #answered = 0
  #isStopped = false

  constructor(options: LoadOptions) {
    this.#options = options
    this.#running = Array.from({ length: options.connections }, () => this.#run())
  }

  get answered(): number {
    return this.#answered
  }

  /** Ports of the connections that are open. */
  get ports(): readonly number[] {
    return [...this.#open].map(({ localPort }) => localPort)
  }

  report(): LoadReport {
    return { answered: this.#answered, wrong: this.#wrong, lost: this.#lost }
  }

  /** Resolves when the last question has its answer. */
  async stop(): Promise<LoadReport> {
    this.#isStopped = true
    await Promise.all(this.#running)
    return this.report()
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      const connection = await RawConnection.open(this.#options.port).catch(() => undefined)
      if (connection) await this.#use(connection)
      // Nobody listens for the moment.
      else await sleep(5)
    }
  }

  async #use(connection: RawConnection): Promise<void> {
    this.#open.add(connection)
    const { localPort } = connection
    const { pauseMs, perConnection = Number.POSITIVE_INFINITY } = this.#options
    let answered = 0
    for (let isLast = false; !isLast && !this.#isStopped; ) {
      const question = this.#options.next()
      const answer = await connection.ask(question.host, question.path).catch(() => undefined)
      if (!answer) {
        this.#lost.push({ port: localPort, answeredBefore: answered })
        break
      }
      answered += 1
      this.#answered += 1
      const fault = question.judge(answer)
      if (fault !== undefined) this.#wrong.push(fault)
      isLast = answered >= perConnection || /^connection: *close/im.test(answer.head)
      if (!isLast && pauseMs !== undefined) await sleep(pauseMs)
    }
    this.#open.delete(connection)
    connection.close()
  }
}
