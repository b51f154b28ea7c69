// One certificate after the other for one host, under handshakes that must not notice (R21-18).

import { pairFor } from '../../builders/secure-names.ts'
import type { Harness } from '../harness.ts'
import { securePair, visit } from './secure-plane.ts'

export interface RotationPlan {
  readonly rotations: number
  /** Each shakes hands, one time after the other. */
  readonly clients: number
  /** Between two rotations, and between two handshakes of a client; 0: none. */
  readonly pauseMs?: number
}

export interface RotationReport {
  readonly rotations: number
  readonly handshakes: number
  /** What became of those that failed, or had a certificate that never was. */
  readonly lost: readonly string[]
}

const HOST = 'shop.example'

/** Rotates and shakes hands at the same time. */
export async function rotate(
  plane: Harness,
  { rotations, clients, pauseMs = 0 }: RotationPlan,
): Promise<RotationReport> {
  const lost: string[] = []
  const so = { rotations: 0, handshakes: 0 }
  await publish(plane, 0)
  const shake = async (): Promise<void> => {
    while (so.rotations < rotations) {
      try {
        const { name } = await visit(plane.port(), HOST)
        if (name !== HOST) lost.push(`was given the certificate of ${name}`)
      } catch (thrown) {
        lost.push(String(thrown))
      }
      so.handshakes += 1
      await pause(pauseMs)
    }
  }
  const shaking = Array.from({ length: clients }, shake)
  for (let rotation = 1; rotation <= rotations; rotation += 1) {
    await publish(plane, rotation)
    so.rotations = rotation
    await pause(pauseMs)
  }
  await Promise.all(shaking)
  return { ...so, lost }
}

async function publish(plane: Harness, rotation: number): Promise<void> {
  const { cert, key } = pairFor(HOST)
  const names = { [HOST]: { pairs: [{ cert: `${rotation}\n${cert}`, key }] } }
  const outcome = await plane.plane.apply(securePair({ [HOST]: ['127.0.0.1:1'] }, names, rotation + 1))
  if (outcome.kind !== 'applied') throw new Error(`rotation ${rotation} was refused: ${outcome.message}`)
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    if (ms > 0) setTimeout(resolve, ms)
    else setImmediate(resolve)
  })
}
