// The main thread's end of one worker thread.
import { Worker } from 'node:worker_threads'
import type { Cancel, Timers } from '../lib/timers.ts'
import type { PublishFailure } from '../model/generation.ts'
import { splitBuild } from './build-parts.ts'
import type { CheckChange } from './check-verdicts.ts'
import type { BoundListener } from './listen-address.ts'
import type { LogBatch } from './log-relay.ts'
import { type LoopDelay, LoopDelayReader } from './loop-delay.ts'
import { OpenQuestions, type Question, type Reply } from './open-questions.ts'
import { PairsOfWorker, type SequencedPair } from './pairs-of-worker.ts'
import type { SocketAddress } from './socket-address.ts'
import { stackOfStalled } from './stall-profile.ts'
import { endByError, type WorkerDeath, type WorkerEnd, type WorkerFailure } from './worker-end.ts'
import type { BuildMessage, FromWorker, ToWorker, TransportReport, WorkerBoot, WorkerLoad } from './worker-protocol.ts'

export type BuildReply =
  | { readonly kind: 'built' }
  | { readonly kind: 'refused'; readonly reason: PublishFailure; readonly message: string }
  /** The worker ended before it answered. */
  | { readonly kind: 'ended'; readonly end: WorkerEnd }

export type ListenReply =
  | { readonly kind: 'listening'; readonly bound: readonly BoundListener[] }
  | { readonly kind: 'failed'; readonly message: string }

export interface WorkerLinkSettings {
  readonly entry: URL
  readonly boot: WorkerBoot
  readonly heapMb: number
}

/** Who is told what a worker says by itself. */
export interface WorkerLinkEvents {
  /** It threw, still serves, and must be replaced (R70-126). */
  readonly onFailing: (link: WorkerLink, failure: WorkerFailure) => void
  /** It ends or was ended; `gone` tells when the thread is no more. Called once. */
  readonly onEnd: (link: WorkerLink, death: WorkerDeath) => void
  readonly onLog: (link: WorkerLink, batch: LogBatch) => void
}

/** How long a question may stay without an answer. */
export interface Silence {
  readonly ms: number
  readonly timers: Timers
}

/** One worker thread: what it was sent, what it holds, how it ended. The end answers every open question. */
export class WorkerLink {
  readonly boot: WorkerBoot
  /** Resolves when the thread is gone and writes nothing any more. */
  readonly gone: Promise<void>
  readonly #transport = Promise.withResolvers<TransportReport | undefined>()
  readonly #thread: Worker
  readonly #events: WorkerLinkEvents
  readonly #beats: Int32Array
  readonly #loopDelay: LoopDelayReader
  readonly #questions = new OpenQuestions()
  readonly #pairs = new PairsOfWorker()
  #end: WorkerEnd | undefined
  #failure: WorkerEnd = { cause: 'exit', message: 'the worker ended' }
  #segmentsSent = 0
  #draining: Promise<WorkerLoad> | undefined

  constructor({ entry, boot, heapMb }: WorkerLinkSettings, events: WorkerLinkEvents) {
    this.boot = boot
    this.#events = events
    this.#beats = new Int32Array(boot.heartbeat)
    this.#loopDelay = new LoopDelayReader(boot.loopDelay)
    this.#thread = new Worker(entry, {
      workerData: boot,
      resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: YOUNG_MB },
    })
    this.#thread.on('message', (message: FromWorker) => this.#receive(message))
    this.#thread.on('error', (thrown) => this.#noteEnd(endByError(thrown)))
    this.gone = new Promise((resolve) => {
      this.#thread.once('exit', (code) => {
        this.#noteEnd({ cause: 'exit', message: `the thread exited with code ${code}` })
        resolve()
      })
    })
  }

  /** By which transport it serves; `undefined`: it ended before it told. Never resolves with the standard engine's. */
  get transport(): Promise<TransportReport | undefined> {
    return this.#transport.promise
  }

  /** What the worker serves. */
  get assigned(): SequencedPair | undefined {
    return this.#pairs.assigned
  }

  /** Sequences of the pairs that its requests choose endpoints from, or may yet. */
  get readable(): readonly number[] {
    return this.#pairs.readable
  }

  /** The number that the worker counts up while its event loop turns. */
  get beats(): number {
    return Atomics.load(this.#beats, 0)
  }

  /** How late its event loop ran since the last call. */
  takeLoopDelay(): LoopDelay {
    return this.#loopDelay.read()
  }

  /** Whether it is gone, or about to be. */
  get isEnding(): boolean {
    return this.#end !== undefined
  }

  /** Those of `segments` that the worker has not been sent yet; they count as sent from now on. */
  takeSegments(segments: readonly SharedArrayBuffer[]): readonly SharedArrayBuffer[] {
    const lacking = segments.slice(this.#segmentsSent)
    this.#segmentsSent = segments.length
    return lacking
  }

  /** Phase one. A worker that runs and says nothing for so long is ended (R30-10). */
  async build(next: SequencedPair, message: BuildMessage, silence: Silence): Promise<BuildReply> {
    this.#pairs.offer(next)
    const cancel = this.#endIfSilent(silence)
    const reply = await this.#askToBuild(message)
    cancel()
    return this.#buildReply(message, reply)
  }

  /** Phase two; resolves when the worker serves what it built, or has ended. */
  async assign(sequence: number): Promise<void> {
    await this.#ask('assign', { kind: 'assign', sequence })
  }

  /** Lets the worker forget what it built. */
  abandon(): void {
    this.#pairs.offer(undefined)
    this.#post({ kind: 'abandon' })
  }

  async listen(addresses: readonly SocketAddress[]): Promise<ListenReply> {
    const reply = await this.#ask('listen', { kind: 'listen', addresses })
    if (reply?.kind === 'listening') return { kind: 'listening', bound: reply.bound }
    return { kind: 'failed', message: reply?.kind === 'listenFailed' ? reply.message : 'the worker ended' }
  }

  /** Tells what health checks found. */
  tellChecks(changes: readonly CheckChange[]): void {
    if (!this.#end) this.#post({ kind: 'checked', changes })
  }

  /** Hands over the keys of session tickets. */
  tellTicketKeys(keys: Uint8Array): void {
    if (!this.#end) this.#post({ kind: 'ticketKeys', keys })
  }

  startDraining(): void {
    this.#post({ kind: 'startDraining' })
  }

  /**
   * Gives what had to be cut; nothing of a worker that ended first, or was ended for not keeping the time. A drain that
   * has begun is not begun again, and keeps its grace.
   */
  drain(graceMs: number, timers: Timers): Promise<WorkerLoad> {
    this.#draining ??= this.#drain(graceMs, timers)
    return this.#draining
  }

  /** Ends the thread wherever it is, a loop without end included. */
  end(end: WorkerEnd): void {
    if (!this.#noteEnd(end)) return
    void this.#thread.terminate()
  }

  /**
   * Ends a thread whose event loop does not turn, and gives the stack that it was seen in before; empty where it was not,
   * or was ended already.
   */
  async endStalled(message: string, patience: Silence): Promise<readonly string[]> {
    if (!this.#noteEnd({ cause: 'stall', message })) return []
    const stack = await stackOfStalled(this.#thread, patience)
    void this.#thread.terminate()
    return stack
  }

  // A thread that has not begun to run can say nothing: how long it may take to is the supervisor's to bound.
  #endIfSilent({ ms, timers }: Silence): Cancel {
    const hasBegun = this.beats > 0
    let cancel = timers.after(ms, () => {
      if (hasBegun) this.end({ cause: 'silence', message: `no answer to a publish within ${ms} ms` })
      else cancel = this.#endIfSilent({ ms, timers })
    })
    return () => cancel()
  }

  async #drain(graceMs: number, timers: Timers): Promise<WorkerLoad> {
    const cancel = timers.after(graceMs + DRAIN_MARGIN_MS, () => {
      this.end({ cause: 'silence', message: 'no answer to a drain' })
    })
    const reply = await this.#ask('drain', { kind: 'drain', graceMs })
    cancel()
    return reply?.kind === 'drained' ? reply.cut : { requests: 0, streams: 0, tunnels: 0 }
  }

  // One that serves reads no more at once than its requests may wait for.
  async #askToBuild(message: BuildMessage): Promise<Reply | undefined> {
    if (!this.assigned) return await this.#ask('build', message)
    const { parts, last } = splitBuild(message)
    for (const part of parts) if (!(await this.#ask('part', part))) return undefined
    return await this.#ask('build', last)
  }

  get #isBuilding(): boolean {
    return this.#questions.has('part') || this.#questions.has('build')
  }

  #ask(question: Question, message: ToWorker): Promise<Reply | undefined> {
    if (this.#end) return Promise.resolve(undefined)
    const reply = this.#questions.open(question)
    this.#post(message)
    return reply
  }

  #receive(message: FromWorker): void {
    switch (message.kind) {
      case 'transport':
        this.#transport.resolve(message.report)
        break
      case 'took':
        this.#questions.close('part', message)
        break
      case 'built':
      case 'refused':
        this.#questions.close('build', message)
        break
      case 'assigned':
        this.#pairs.noteAssigned(message.sequence)
        this.#questions.close('assign', message)
        break
      case 'unused':
        this.#pairs.noteUnused(message.sequence)
        break
      case 'listening':
      case 'listenFailed':
        this.#questions.close('listen', message)
        break
      case 'drained':
        this.#questions.close('drain', message)
        break
      case 'failing':
        this.#fail(message.message, message.stack)
        break
      case 'log':
        this.#events.onLog(this, message)
        break
    }
  }

  // What it throws is its answer to whatever it was asked: another one may never come, and could not be trusted.
  #fail(message: string, stack: string | undefined): void {
    const isBuilding = this.#isBuilding
    this.#failure = { cause: 'exception', message }
    for (const question of ['part', 'build', 'assign', 'listen'] as const) this.#questions.close(question)
    this.#events.onFailing(this, { message, stack, isBuilding })
  }

  #buildReply({ delta }: BuildMessage, reply: Reply | undefined): BuildReply {
    if (reply?.kind === 'refused') return { kind: 'refused', reason: reply.reason, message: reply.message }
    if (reply?.kind !== 'built') return { kind: 'ended', end: this.#end ?? this.#failure }
    if (reply.digest === delta.digest && reply.endpointsDigest === delta.endpointsDigest) return { kind: 'built' }
    return { kind: 'refused', reason: 'digest', message: 'the worker acknowledged other digests than it was sent' }
  }

  #noteEnd(end: WorkerEnd): boolean {
    if (this.#end) return false
    this.#end = end
    this.#transport.resolve(undefined)
    const isBuilding = this.#isBuilding
    this.#questions.closeAll()
    this.#events.onEnd(this, { ...end, isBuilding })
    return true
  }

  #post(message: ToWorker): void {
    this.#thread.postMessage(message)
  }
}

/**
 * What is new in a worker's heap. V8's own choice is made for a process that has the machine to itself: with it, two
 * workers and 10,000 routes took 54 MiB more (R60-42).
 */
const YOUNG_MB = 16

/** What a worker may need beyond its grace to say what was left. */
const DRAIN_MARGIN_MS = 1_000
