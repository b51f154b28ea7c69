// Before anything is timed: all contenders do the same job (R60-6).
import { ask } from '../contenders/ask.ts'
import type { Contender } from '../contenders/contender.ts'
import { type Front, isSecure, PLAIN } from '../contenders/front.ts'
import { startContender } from '../contenders/start.ts'
import { type AlikeOrigin, answerOf, startAlikeOrigin } from './alike-origin.ts'

/** Fields that every contender must tell the upstream, with what they must say; an id is any. */
function wantedFields(front: Front): ReadonlyMap<string, RegExp> {
  return new Map([
    ['host', /^shop\.example$/],
    ['x-real-ip', /^127\.0\.0\.1$/],
    ['x-forwarded-for', /^127\.0\.0\.1$/],
    ['x-forwarded-host', /^shop\.example$/],
    ['x-forwarded-proto', isSecure(front) ? /^https$/ : /^http$/],
    ['x-request-id', /^[0-9a-f-]{32,36}$/],
  ])
}

/** Throws where a contender answers otherwise than the others, or tells the upstream something else. */
export async function checkAlike(contenders: readonly Contender[], core: number): Promise<void> {
  for (const contender of contenders) {
    const front = contender.front ?? PLAIN
    const origin = await startAlikeOrigin(front.job)
    try {
      await checkOne(contender, front, { origin, core })
    } finally {
      origin.stop()
    }
  }
}

async function checkOne(
  contender: Contender,
  front: Front,
  { origin, core }: { readonly origin: AlikeOrigin; readonly core: number },
): Promise<void> {
  const running = await startContender(contender, origin.address, core)
  try {
    for (let turn = 0; turn < 2; turn += 1) {
      const { status, body, trailers } = await ask(running.place.port, front)
      if (status !== 200 || body !== answerOf(front.job))
        throw new Error(`${contender.name} answered ${status}: ${body}`)
      if (front.job === 'grpc' && trailers.get('grpc-status') !== '0')
        throw new Error(`${contender.name} sent no status`)
    }
    for (const [name, pattern] of wantedFields(front)) {
      if (contender.lacks?.includes(name)) continue
      const value = origin.lastFields().get(name) ?? ''
      if (!pattern.test(value)) throw new Error(`${contender.name} told the upstream ${name}: ${value}`)
    }
  } finally {
    await running.stop()
  }
}
