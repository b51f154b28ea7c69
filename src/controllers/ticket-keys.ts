// Where the keys of session tickets come from (R21-24, R21-25).
import { randomBytes } from 'node:crypto'
import type { Cancel, Timers } from '../lib/timers.ts'
import type { Logger } from '../observability/log.ts'
import type { WantedLook } from './wanted-objects.ts'

export interface TicketKeysDeps {
  /** Gives the keys to every worker that there is or will be. */
  readonly apply: (keys: Buffer) => void
  /** How long keys that were made here are used. */
  readonly rotateMs: number
  readonly timers: Timers
  readonly log: Logger
}

const SIZE = 48
const KEY = 'ticket.key'

/**
 * Makes keys and rotates them, until a Secret has some: those of a Secret are used as they are, for as long as it does
 * not hold others, and also when it is broken or gone later, since other replicas may have them still.
 */
export class TicketKeys {
  readonly #deps: TicketKeysDeps
  #ofSecret: Buffer | undefined
  #cancelTimer: Cancel | undefined
  #problem = ''

  constructor(deps: TicketKeysDeps) {
    this.#deps = deps
  }

  /** Makes the first keys; from here on they rotate. */
  start(): void {
    this.#rotate()
  }

  stop(): void {
    this.#cancelTimer?.()
  }

  /** What is known now of the Secret that `--ticket-key-secret` names. */
  found(look: WantedLook): void {
    if (look.kind === 'unread') return
    const keys = look.kind === 'object' ? Buffer.from(look.object.data[KEY] ?? '', 'base64') : undefined
    if (keys?.length === SIZE) this.#take(keys)
    else this.#warn(keys ? `holds ${keys.length} bytes under ${KEY}, and ${SIZE} are needed` : problemOf(look.kind))
  }

  #take(keys: Buffer): void {
    this.#problem = ''
    this.#cancelTimer?.()
    if (this.#ofSecret?.equals(keys)) return
    this.#ofSecret = keys
    this.#deps.apply(keys)
  }

  #warn(problem: string): void {
    if (problem === this.#problem) return
    this.#problem = problem
    const effect = this.#ofSecret ? 'the last good keys stay' : 'keys of this replica alone are used'
    this.#deps.log.warn({ problem, effect }, 'the Secret of the ticket keys is of no use')
  }

  #rotate(): void {
    const { apply, rotateMs, timers } = this.#deps
    apply(randomBytes(SIZE))
    this.#cancelTimer = timers.after(rotateMs, () => this.#rotate())
  }
}

function problemOf(kind: 'missing' | 'forbidden' | 'object'): string {
  return kind === 'forbidden' ? 'may not be read' : 'does not exist'
}
