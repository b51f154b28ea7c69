// Two-phase publishing to the workers: build everywhere, then assign everywhere, or nowhere (R00-10..12).
import type { Timers } from '../lib/timers.ts'
import type { SlotTotals } from '../model/counters.ts'
import type { ApplyOutcome, Pair } from '../model/generation.ts'
import { type CounterMatrix, ZERO_TOTALS } from './counters.ts'
import { diffPairs, type PairDelta } from './delta.ts'
import type { SequencedPair } from './pairs-of-worker.ts'
import { endpointNameChanges, endpointNamesOf, routeNameChanges, routeNamesOf } from './slot-names.ts'
import { type NameChange, Slots } from './slots.ts'
import type { BuildReply, WorkerLink } from './worker-link.ts'
import type { BuildMessage, NamedRows } from './worker-protocol.ts'

export interface PublisherDeps {
  readonly matrix: CounterMatrix
  readonly timers: Timers
  /** A worker that does not answer a build for so long is ended (R30-10). */
  readonly silenceMs: number
  /** The workers that are published to. */
  readonly members: () => readonly WorkerLink[]
  /** Every thread that may still read a pair. */
  readonly alive: () => Iterable<WorkerLink>
  /** Whether every worker is gone for good. */
  readonly isLost: () => boolean
  /** Called in the step in which a pair becomes the served one. */
  readonly onServed: (pair: Pair) => void
  /** Called for a worker that was brought to the served pair. */
  readonly onCurrent: (link: WorkerLink) => Promise<void>
}

/** Names that lost their rows since a worker was last sent something. */
interface Freed {
  routes: string[]
  endpoints: string[]
}

/** The served pair, and the ways to it. */
export class Publisher {
  readonly #deps: PublisherDeps
  readonly #routes: Slots
  readonly #endpoints: Slots
  readonly #freed = new WeakMap<WorkerLink, Freed>()
  /** The last pair of each kept generation: it names the generation's routes as well as any other. */
  #sequenceOf = new Map<number, number>()
  #served: SequencedPair | undefined
  #sequence = 0
  /** Digest of a generation that was refused last, and at which a worker died. */
  #deadly: string | undefined
  readonly #onTheirWay = new Set<WorkerLink>()
  #wake: (() => void)[] = []

  constructor(deps: PublisherDeps) {
    this.#deps = deps
    this.#routes = new Slots(deps.matrix)
    this.#endpoints = new Slots(deps.matrix)
  }

  /** Zero for what has no row. */
  routeTotals(id: string): SlotTotals {
    return this.#totals(this.#routes.rowOf(id))
  }

  endpointTotals(address: string): SlotTotals {
    return this.#totals(this.#endpoints.rowOf(address))
  }

  /** Lets an `apply` that waits for a worker look again. */
  membersChanged(): void {
    for (const wake of this.#wake.splice(0)) wake()
  }

  /** See `DataPlane.apply`. */
  async apply(pair: Pair, keptGenerations: readonly number[]): Promise<ApplyOutcome> {
    const members = await this.#participants()
    if (members.length === 0) return { kind: 'refused', reason: 'other', message: 'no worker is left' }
    const base = this.#served?.pair
    const delta = diffPairs(base, pair)
    const names = { routes: routeNameChanges(base, delta), endpoints: endpointNameChanges(base, delta) }
    this.#sweep()
    this.#routes.prepare(names.routes)
    this.#endpoints.prepare(names.endpoints)
    this.#sequence += 1
    const next = { sequence: this.#sequence, pair }
    const replies = await this.#buildAll(members, next, delta)
    const refusal = refusalIn(replies)
    this.#deadly = refusal && replies.some(({ kind }) => kind === 'ended') ? pair.generation.digest : undefined
    if (refusal) {
      this.#abandon(members)
      return refusal
    }
    this.#commit(next, names, keptGenerations)
    await Promise.all(members.map((link) => this.#assign(link, next.sequence)))
    // Workers that came while this pair was built had the one before it to begin with.
    for (const link of this.#deps.members()) void this.bringUp(link)
    return { kind: 'applied' }
  }

  /**
   * Brings a worker that is behind, or has nothing yet, to the served pair, and over again when another one was
   * assigned meanwhile. Does nothing before the first pair, and for a worker that is on its way already.
   */
  async bringUp(link: WorkerLink): Promise<void> {
    if (this.#onTheirWay.has(link)) return
    this.#onTheirWay.add(link)
    for (let target = this.#behind(link); target; target = this.#behind(link)) {
      const reply = await this.#build(link, target, diffPairs(link.assigned?.pair, target.pair))
      if (reply.kind === 'built') await this.#assign(link, target.sequence)
      else link.end({ cause: 'publish', message: messageOfReply(reply) })
    }
    this.#onTheirWay.delete(link)
    this.membersChanged()
  }

  /** The pair that `link` has yet to serve. */
  #behind(link: WorkerLink): SequencedPair | undefined {
    const isCurrent = link.isEnding || link.assigned?.sequence === this.#served?.sequence
    return isCurrent ? undefined : this.#served
  }

  /** The workers that serve what is served; before the first pair all of them. Waits for one, while one may come. */
  async #participants(): Promise<readonly WorkerLink[]> {
    for (;;) {
      const sequence = this.#served?.sequence
      const isMember = (link: WorkerLink): boolean =>
        link.assigned?.sequence === sequence && !this.#onTheirWay.has(link)
      const members = this.#deps.members().filter(isMember)
      if (members.length > 0 || this.#deps.isLost()) return members
      await new Promise<void>((resolve) => {
        this.#wake.push(resolve)
      })
    }
  }

  // One after the other where a worker died of it before: a second try must not cost the connections of all.
  async #buildAll(members: readonly WorkerLink[], next: SequencedPair, delta: PairDelta): Promise<BuildReply[]> {
    const build = (link: WorkerLink): Promise<BuildReply> => this.#build(link, next, delta)
    if (this.#deadly !== next.pair.generation.digest) return await Promise.all(members.map(build))
    const replies: BuildReply[] = []
    for (const link of members) {
      const reply = await build(link)
      if (reply.kind !== 'built') return [reply]
      replies.push(reply)
    }
    return replies
  }

  async #build(link: WorkerLink, next: SequencedPair, delta: PairDelta): Promise<BuildReply> {
    const { timers, silenceMs } = this.#deps
    return await link.build(next, this.#messageFor(link, next.sequence, delta), { ms: silenceMs, timers })
  }

  #messageFor(link: WorkerLink, sequence: number, delta: PairDelta): BuildMessage {
    const freed = this.#freed.get(link)
    this.#freed.delete(link)
    return {
      kind: 'build',
      sequence,
      delta,
      routeRows: { freed: freed?.routes ?? [], set: rowsOf(this.#routes, routeNamesOf(delta)) },
      endpointRows: { freed: freed?.endpoints ?? [], set: rowsOf(this.#endpoints, endpointNamesOf(delta)) },
      segments: link.takeSegments(this.#deps.matrix.segments),
    }
  }

  async #assign(link: WorkerLink, sequence: number): Promise<void> {
    await link.assign(sequence)
    if (link.assigned?.sequence === sequence) await this.#deps.onCurrent(link)
  }

  #abandon(members: readonly WorkerLink[]): void {
    for (const link of members) if (!link.isEnding) link.abandon()
    this.#sweep()
  }

  #commit(next: SequencedPair, names: Names, keptGenerations: readonly number[]): void {
    this.#served = next
    this.#routes.commit(names.routes, next.sequence)
    this.#endpoints.commit(names.endpoints, next.sequence)
    this.#sequenceOf.set(next.pair.generation.number, next.sequence)
    const kept = new Set(keptGenerations)
    this.#sequenceOf = new Map([...this.#sequenceOf].filter(([number]) => kept.has(number)))
    this.#deps.onServed(next.pair)
  }

  // Before every publish, which is when rows are needed: so nothing has to watch what is in flight.
  #sweep(): void {
    const live = new Set<number>()
    if (this.#served) live.add(this.#served.sequence)
    for (const { readable } of this.#deps.alive()) for (const sequence of readable) live.add(sequence)
    const holders = { live, configuration: new Set([...live, ...this.#sequenceOf.values()]) }
    const routes = this.#routes.sweep(holders)
    const endpoints = this.#endpoints.sweep(holders)
    if (routes.length + endpoints.length === 0) return
    for (const link of this.#deps.members()) this.#noteFreed(link, routes, endpoints)
  }

  #noteFreed(link: WorkerLink, routes: readonly string[], endpoints: readonly string[]): void {
    const freed = this.#freed.get(link)
    this.#freed.set(link, {
      routes: [...(freed?.routes ?? []), ...routes],
      endpoints: [...(freed?.endpoints ?? []), ...endpoints],
    })
  }

  #totals(row: number | undefined): SlotTotals {
    return row === undefined ? ZERO_TOTALS : this.#deps.matrix.totals(row)
  }
}

interface Names {
  readonly routes: readonly NameChange[]
  readonly endpoints: readonly NameChange[]
}

function rowsOf(slots: Slots, names: readonly string[]): NamedRows {
  return names.flatMap((name) => {
    const row = slots.rowOf(name)
    return row === undefined ? [] : [[name, row] as const]
  })
}

/** Why nobody assigns; `undefined` when all that are left have built. */
function refusalIn(replies: readonly BuildReply[]): ApplyOutcome | undefined {
  let built = 0
  for (const reply of replies) {
    if (reply.kind === 'built') built += 1
    if (reply.kind === 'refused') return reply
    if (reply.kind === 'ended' && diedByItself(reply)) {
      return {
        kind: 'refused',
        reason: reply.end.cause === 'memory' ? 'memory' : 'other',
        message: messageOfReply(reply),
      }
    }
  }
  return built > 0 ? undefined : { kind: 'refused', reason: 'other', message: 'no worker acknowledged' }
}

// One that main ended, for its silence or a stall, has refused nothing: it is left out (R30-10).
function diedByItself({ end }: { readonly end: { readonly cause: string } }): boolean {
  return end.cause === 'exception' || end.cause === 'memory' || end.cause === 'exit'
}

function messageOfReply(reply: BuildReply): string {
  switch (reply.kind) {
    case 'built':
      return 'the worker built the pair'
    case 'refused':
      return reply.message
    case 'ended':
      return `a worker died while it built the pair: ${reply.end.message}`
  }
}
