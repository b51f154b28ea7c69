// Whether a contender of ours counted what the load counted (R60-10).
import { setTimeout as delay } from 'node:timers/promises'
import type { Running } from '../contenders/contender.ts'

const PATIENCE_MS = 10_000
const LOOK_MS = 50

/** A contender that tells what it counted, with its count before the load began. */
export interface CountedContender {
  readonly running: Running
  readonly before: number
}

export interface Answered {
  /** Requests that the load saw answered since then. */
  readonly requests: number
  /** Requests that may have been cut off when runs of the load ended: counted by the contender alone. */
  readonly cutAtMost: number
}

/** Takes the counts of those contenders that tell them. */
export function countsOf(contenders: readonly Running[]): Promise<readonly CountedContender[]> {
  const ours = contenders.filter(({ countsItself }) => countsItself)
  return Promise.all(
    ours.map(async (running) => ({ running, before: await figureOf(running, 'ramjet_requests_total') })),
  )
}

/** Throws where the counts do not balance, or where a connection is still counted as open after all have gone. */
export async function expectBalance({ running, before }: CountedContender, answered: Answered): Promise<void> {
  const { name } = running
  for (let waited = 0; (await figureOf(running, 'ramjet_active_connections')) > 0; waited += LOOK_MS) {
    if (waited > PATIENCE_MS) throw new Error(`${name} counts connections that have gone`)
    await delay(LOOK_MS)
  }
  const counted = (await figureOf(running, 'ramjet_requests_total')) - before
  const beyond = counted - answered.requests
  if (beyond < 0 || beyond > answered.cutAtMost) {
    throw new Error(`${name} counted ${counted} requests where ${answered.requests} were answered`)
  }
}

async function figureOf({ place }: Running, name: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${place.adminPort}/metrics`)
  const figure = new RegExp(`^${name} (\\d+)$`, 'm').exec(await response.text())?.[1]
  if (figure === undefined) throw new Error(`there is no figure of ${name}`)
  return Number(figure)
}
