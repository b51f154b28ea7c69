// One request through an engine, and all that can be seen of it from outside.
import type { EngineFactory, EngineSettings } from '../../../src/dataplane/engine.ts'
import type { RecordedSocket } from '../../fakes/recorded-socket.ts'
import { referenceChunked } from '../../fuzz/reference-chunked.ts'
import { readRequest } from '../../wire/read-request.ts'
import { EngineBench, fieldOf } from '../engine/bench.ts'

/** What a client sends and what the origin answers, both as latin1. */
export interface Conversation {
  readonly request: string
  readonly response: string
  /** Whether the origin ends its connection behind the response. */
  readonly ends: boolean
}

/** What must be the same from every engine (R20-180). */
export interface Seen {
  /** Heads of what the client got, byte for byte, and the decoded body of the last. */
  readonly answer: string
  readonly isEnded: boolean
  /** What reached the origin, a fresh request id by its shape alone. */
  readonly upstream: readonly string[]
  /** What the exchange added to the counters. */
  readonly counts: Readonly<Record<string, number>>
}

const UNBOUNDED = { maxHeaders: 1000, maxHeaderBytes: 65_536 }
const FRESH_ID = /^(X-Request-Id: )[\da-f]{32}$/m

/** An engine between a client and an origin, for conversation after conversation. */
export class Differential {
  readonly #bench: EngineBench
  #conversation: Conversation | undefined
  readonly #requests: string[] = []

  private constructor(bench: EngineBench) {
    this.#bench = bench
    bench.upstream.answerWith((head, connection) => this.#answer(head, connection))
  }

  static async start(makeEngine: EngineFactory, settings: Partial<EngineSettings>): Promise<Differential> {
    return new Differential(await EngineBench.start(makeEngine, { settings }))
  }

  stop(): void {
    this.#bench.stop()
  }

  /** Has the conversation on a client connection of its own. */
  async run(conversation: Conversation): Promise<Seen> {
    const { engine, counters } = this.#bench
    const before = counters.all()
    this.#conversation = conversation
    this.#requests.length = 0
    const client = await this.#bench.send(conversation.request)
    const isHead = conversation.request.trimStart().startsWith('HEAD ')
    await this.#bench.when(() => engine.load().requests === 0 && isAnswered(client, isHead))
    client.end()
    await client.untilEnd()
    const text = client.text
    client.socket.destroy()
    await this.#bench.quiet()
    return {
      answer: decoded(text, isHead) ?? text,
      isEnded: /^connection: close\r$/im.test(text),
      upstream: this.#requests.map((request) => request.replace(FRESH_ID, '$1fresh')),
      counts: difference(before, counters.all()),
    }
  }

  /** Answers when the whole request is there, so that nothing depends on what came first. */
  #answer(head: string, connection: RecordedSocket): void {
    const start = connection.text.lastIndexOf(head)
    const look = (): void => {
      const request = readRequest(connection.text.slice(start))
      if (!request?.isComplete || !this.#conversation) return
      connection.socket.off('data', look)
      const { line, fields, body, trailers } = request
      this.#requests.push([line, ...fields, '', body, ...trailers].join('\n'))
      connection.write(this.#conversation.response)
      if (this.#conversation.ends) connection.end()
    }
    connection.socket.on('data', look)
    look()
  }
}

function isAnswered(client: RecordedSocket, isHead: boolean): boolean {
  return client.isEnded || client.isClosed || decoded(client.text, isHead) !== undefined
}

/** An answer with its body decoded; `undefined` where it is not whole. */
function decoded(text: string, isHead: boolean): string | undefined {
  const end = text.indexOf('\r\n\r\n') + 4
  if (end < 4) return undefined
  const head = text.slice(0, end)
  const rest = text.slice(end)
  const status = head.slice(9, 12)
  if (status.startsWith('1')) {
    const next = decoded(rest, isHead)
    return next === undefined ? undefined : head + next
  }
  if (isHead || status === '204' || status === '304') return text
  if (fieldOf(head, 'Transfer-Encoding') !== undefined) {
    const body = referenceChunked(rest, UNBOUNDED)
    return body.kind === 'done' ? [head + body.data, ...body.trailers].join('\n') : undefined
  }
  const length = fieldOf(head, 'Content-Length')
  return length !== undefined && rest.length >= Number(length) ? text : undefined
}

function difference(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): Readonly<Record<string, number>> {
  const names = [...new Set([...before.keys(), ...after.keys()])].toSorted()
  return Object.fromEntries(
    names.flatMap((name) => {
      const change = (after.get(name) ?? 0) - (before.get(name) ?? 0)
      return change === 0 ? [] : [[name, change]]
    }),
  )
}
