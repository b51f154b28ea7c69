// The pairs of one worker, inside it: one serves, and the next is built beside it (R00-10 to R00-13).
import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../lib/clock.ts'
import { messageOf } from '../lib/errors.ts'
import { runSteps } from '../lib/steps.ts'
import type { PublishFailure } from '../model/generation.ts'
import { joinBuild } from './build-parts.ts'
import type { Engine, ServedPair } from './engine.ts'
import type { HeldPairs } from './held-pairs.ts'
import { LiveAddresses } from './live-addresses.ts'
import type { BuiltPair, PairMaker } from './pair-maker.ts'
import { runInSlices } from './slices.ts'
import type { TlsFront } from './tls/front.ts'
import type { BuildMessage, FromWorker, PartMessage } from './worker-protocol.ts'

export interface WorkerPairsDeps {
  readonly maker: PairMaker
  readonly held: HeldPairs
  readonly clock: Clock
  readonly engine: Pick<Engine, 'pairAssigned'>
  readonly tls: Pick<TlsFront, 'isPrepared' | 'prepare' | 'pairAssigned'>
  readonly send: (message: FromWorker) => void
}

export class WorkerPairs {
  readonly #deps: WorkerPairsDeps
  readonly #addresses = new LiveAddresses()
  /** Of the build message that is to come. */
  #parts: PartMessage[] = []
  /** Sequence of what is being built. */
  #building = 0
  #built: BuiltPair | undefined
  #served: BuiltPair | undefined

  constructor(deps: WorkerPairsDeps) {
    this.#deps = deps
  }

  /** What serves. Throws before the first assignment. */
  current(): ServedPair {
    if (!this.#served) throw new TypeError('a worker was asked for its pair before one was assigned')
    return this.#served.pair
  }

  /** Keeps what belongs to the next build, and asks for more when everything else that waits has had its turn. */
  async take(part: PartMessage): Promise<void> {
    const { sequence } = part
    if (this.#parts[0]?.sequence !== sequence) this.#parts = []
    this.#parts.push(part)
    await setImmediate()
    this.#deps.send({ kind: 'took', sequence })
  }

  /** Phase one. Certificates first: a handshake never names one that this worker lacks (R21-18). */
  async build(last: BuildMessage): Promise<void> {
    const { maker, clock, tls } = this.#deps
    const message = joinBuild(this.#takeParts(last.sequence), last)
    const { sequence, delta } = message
    const names = delta.serverNames.set
    this.#building = sequence
    try {
      const steps = maker.build(this.#served, message)
      // Who serves nothing yet keeps nobody waiting.
      const result = this.#served ? await runInSlices(steps, { clock, turn: setImmediate }) : runSteps(steps)
      if (this.#building !== sequence) return
      if (!result.ok) {
        this.#refuse(sequence, 'digest', result.error)
        return
      }
      const { certificates } = result.value.pair.routes
      const fault = tls.isPrepared(names) ? undefined : await tls.prepare(certificates, names)
      if (this.#building !== sequence) return
      if (fault === undefined) this.#wasBuilt(result.value)
      else this.#refuse(sequence, 'tls_context', fault)
    } catch (thrown) {
      this.#refuse(sequence, 'other', messageOf(thrown))
    }
  }

  /** Phase two: what was built as `sequence` serves from now on. */
  assign(sequence: number): void {
    const built = this.#built
    if (built?.sequence !== sequence) return
    const { engine, tls, held, send } = this.#deps
    const before = this.#served
    this.#built = undefined
    held.assigned(built.pair, sequence)
    this.#served = built
    this.#addresses.change(before?.tables.endpoints, built.endpoints)
    engine.pairAssigned(built.pair, this.#addresses)
    tls.pairAssigned(built.pair, before?.pair, this.#addresses)
    // In this order, since `replaced` may tell at once that the pair before is read no more.
    send({ kind: 'assigned', sequence })
    if (before) held.replaced(before.pair)
  }

  /** Forgets what was built, or is being built. */
  abandon(): void {
    this.#parts = []
    this.#building = 0
    this.#built = undefined
  }

  #takeParts(sequence: number): readonly PartMessage[] {
    const parts = this.#parts
    this.#parts = []
    return parts[0]?.sequence === sequence ? parts : []
  }

  #wasBuilt(built: BuiltPair): void {
    const { digest, endpointsDigest } = built.pair
    this.#built = built
    this.#deps.send({ kind: 'built', sequence: built.sequence, digest, endpointsDigest })
  }

  #refuse(sequence: number, reason: PublishFailure, message: string): void {
    this.#deps.send({ kind: 'refused', sequence, reason, message })
  }
}
