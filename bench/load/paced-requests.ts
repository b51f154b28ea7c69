// Requests at a stated rate, whether or not answers come in time: each is timed from when it was due, so that a proxy that
// holds up one of them pays for all that had to wait behind it (R60-11).
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { givenLoad, runDriver } from './driver.ts'
import type { WorkReport } from './interleaved.ts'
import { latencyOf } from './latency.ts'

export interface PacedLoad {
  readonly port: number
  readonly seconds: number
  readonly connections: number
  /** Requests a second over all connections; absent: as many as are answered. */
  readonly perSecond?: number
}

/** Runs it on the CPU `core`. */
export function runPacedRequests(load: PacedLoad, core: number): Promise<WorkReport> {
  return runDriver(import.meta.filename, load, core)
}

const REQUEST = 'GET / HTTP/1.1\r\nHost: shop.example\r\n\r\n'
const TICK_MS = 1
// An answer that comes late is a figure of the tail; one that does not come is a fault.
const LATE_MS = 20_000

/** A connection with at most one request under way. */
class Lane {
  readonly #socket: Socket
  readonly #answered: (lane: Lane, isGood: boolean) => void
  #text = ''
  dueMs = 0

  constructor(socket: Socket, answered: (lane: Lane, isGood: boolean) => void) {
    this.#socket = socket
    this.#answered = answered
    socket.setNoDelay(true)
    socket.on('data', (bytes: Buffer) => this.#received(bytes))
    socket.on('error', () => undefined)
    socket.on('close', () => answered(this, false))
  }

  send(dueMs: number): void {
    this.dueMs = dueMs
    this.#socket.write(REQUEST)
  }

  close(): void {
    this.#socket.removeAllListeners('close').destroy()
  }

  #received(bytes: Buffer): void {
    this.#text += bytes.toString('latin1')
    const headEnd = this.#text.indexOf('\r\n\r\n')
    if (headEnd < 0) return
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(this.#text)?.[1])
    if (this.#text.length < headEnd + 4 + length) return
    const isGood = this.#text.startsWith('HTTP/1.1 200 ')
    this.#text = ''
    this.#answered(this, isGood)
  }
}

class PacedRequests {
  readonly #load: PacedLoad
  readonly #free: Lane[] = []
  /** When requests were due that no lane was free for, oldest first. */
  readonly #waiting: number[] = []
  readonly #times: number[] = []
  #faults = 0
  #underWay = 0
  #startMs = 0
  #endMs = 0
  /** How many have become due. */
  #due = 0
  #isOver = false

  constructor(load: PacedLoad) {
    this.#load = load
  }

  async run(): Promise<WorkReport> {
    const { connections, port, seconds } = this.#load
    const lanes = await Promise.all(Array.from({ length: connections }, () => this.#connect(port)))
    this.#startMs = performance.now()
    this.#endMs = this.#startMs + seconds * 1000
    this.#free.push(...lanes)
    while (performance.now() < this.#endMs) {
      this.#go()
      await delay(TICK_MS)
    }
    // The last tick may lie a while back on a busy machine: what became due since then is part of the load.
    this.#go()
    this.#isOver = true
    const tookSeconds = (performance.now() - this.#startMs) / 1000
    const perSecond = this.#times.length / tookSeconds
    for (let waited = 0; this.#open() > 0 && waited < LATE_MS; waited += TICK_MS) await delay(TICK_MS)
    for (const lane of lanes) lane.close()
    return { units: this.#times.length, perSecond, ...latencyOf(this.#times), faults: this.#faults + this.#open() }
  }

  /** Requests that were due and are not answered. */
  #open(): number {
    return this.#underWay + this.#waiting.length
  }

  async #connect(port: number): Promise<Lane> {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    return new Lane(socket, (lane, isGood) => this.#answered(lane, isGood))
  }

  /** Notes what has become due, and sends what there is a lane for. */
  #go(): void {
    if (!this.#isOver) this.#noteDue(Math.min(performance.now(), this.#endMs))
    while (this.#waiting.length > 0 && this.#free.length > 0) this.#sendOne()
  }

  #noteDue(nowMs: number): void {
    const { perSecond } = this.#load
    if (perSecond === undefined) {
      while (this.#waiting.length < this.#free.length) this.#waiting.push(nowMs)
      return
    }
    const dueMsOf = (index: number): number => this.#startMs + (index * 1000) / perSecond
    for (; dueMsOf(this.#due) <= nowMs && dueMsOf(this.#due) < this.#endMs; this.#due += 1)
      this.#waiting.push(dueMsOf(this.#due))
  }

  #sendOne(): void {
    const lane = this.#free.pop()
    const dueMs = this.#waiting.shift()
    if (!lane || dueMs === undefined) return
    this.#underWay += 1
    lane.send(dueMs)
  }

  #answered(lane: Lane, isGood: boolean): void {
    this.#underWay -= 1
    if (isGood) this.#times.push(performance.now() - lane.dueMs)
    else this.#faults += 1
    this.#free.push(lane)
    this.#go()
  }
}

if (import.meta.main) console.log(JSON.stringify(await new PacedRequests(givenLoad() as PacedLoad).run()))
