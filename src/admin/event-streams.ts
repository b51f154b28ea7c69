// GET /admin/events: what changes, as server-sent events (WHATWG HTML, section 9.2).
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Cancel, Timers } from '../lib/timers.ts'
import type { AdminFailures } from './admin-failures.ts'
import type { Handled } from './admin-path.ts'
import { problem } from './answer.ts'

/** Something that changed: the document says what it is now. */
export interface AdminEvent {
  readonly event: 'generation' | 'endpoints' | 'pin' | 'warnings'
  readonly data: unknown
}

export interface EventStreamsDeps {
  readonly timers: Timers
  readonly failures: AdminFailures
  /** What everything is now, for whoever begins to listen. */
  readonly current: () => readonly AdminEvent[]
}

const MAX_OPEN = 64
const COMMENT_MS = 15_000
/** Of events that a client has not taken; one that is further behind is let go and begins anew. */
const MAX_WAITING_BYTES = 262_144

/** The clients that listen. */
export class EventStreams {
  readonly #deps: EventStreamsDeps
  readonly #open = new Set<ServerResponse>()
  /** What everybody was told last, by event. */
  #told: ReadonlyMap<AdminEvent['event'], string> = new Map()
  /** Those that had not taken all they were told when the last comment was written. */
  #behind: ReadonlySet<ServerResponse> = new Set()
  #cancelComment: Cancel | undefined

  constructor(deps: EventStreamsDeps) {
    this.#deps = deps
  }

  /** How many listen. */
  get size(): number {
    return this.#open.size
  }

  /** Tells what is now, and from then on what changes, until the client goes. */
  open(request: IncomingMessage, response: ServerResponse): Handled {
    if (this.#open.size >= MAX_OPEN) {
      this.#deps.failures.count('events_limit')
      return problem(503, `${MAX_OPEN} listen already`)
    }
    response.writeHead(200, {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    })
    if (request.method === 'HEAD') {
      response.end()
      return 'taken'
    }
    response.once('close', () => this.#closed(response))
    // Everybody is told first, so that what is told here is what everybody knows.
    this.look()
    for (const text of this.#told.values()) response.write(text)
    this.#open.add(response)
    this.#cancelComment ??= this.#commentLater()
    return 'taken'
  }

  /** Tells everybody what is not as it was told last. */
  look(): void {
    const now = new Map(this.#deps.current().map((event) => [event.event, textOf(event)] as const))
    for (const [event, text] of now) if (this.#told.get(event) !== text) this.#write(text)
    this.#told = now
  }

  /** Ends every stream. */
  close(): void {
    for (const response of this.#open) response.destroy()
  }

  #closed(response: ServerResponse): void {
    this.#open.delete(response)
    if (this.#open.size > 0) return
    this.#cancelComment?.()
    this.#cancelComment = undefined
  }

  #commentLater(): Cancel {
    return this.#deps.timers.after(COMMENT_MS, () => {
      this.#cancelComment = this.#commentLater()
      this.#dropBehind()
      this.#write(':\n\n')
    })
  }

  /** Whoever took nothing from one comment to the next holds a place that another one could have. */
  #dropBehind(): void {
    const behind = [...this.#open].filter((response) => response.writableLength > 0)
    for (const response of behind) if (this.#behind.has(response)) response.destroy()
    this.#behind = new Set(behind)
  }

  #write(text: string): void {
    for (const response of this.#open) {
      if (response.writableLength > MAX_WAITING_BYTES) response.destroy()
      else response.write(text)
    }
  }
}

// JSON has no line ends, so one line of data is enough.
function textOf({ event, data }: AdminEvent): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}
