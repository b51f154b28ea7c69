import type { Route } from '../../../model/route-table.ts'
import { speaksHttp2 } from '../../../model/upstream-tls.ts'
import type { Decision } from '../../../router/decision.ts'
import { pickWeighted } from '../../../router/pick-weighted.ts'
import type { ServedPair } from '../../engine.ts'
import type { ReceptionParts } from './reception-parts.ts'

/** Carries out what was decided about a request, as far as that is to choose its backend or to answer it. */
export class BackendChoice {
  readonly #parts: ReceptionParts

  constructor(parts: ReceptionParts) {
    this.#parts = parts
  }

  /** The backend that the request goes to; `undefined`: it does not, and is answered unless it is sent elsewhere. */
  of(pair: ServedPair, decision: Decision): string | undefined {
    const { record, owner } = this.#parts
    record.routed(pair, decision)
    switch (decision.kind) {
      case 'respond':
        owner.answer(decision.reason)
        return undefined
      case 'redirect':
      case 'https-first':
        return undefined
      case 'forward':
        return this.#choose(pair, decision.route)
    }
  }

  #choose(pair: ServedPair, { action, policy }: Route): string | undefined {
    const { context, facts, body, owner } = this.#parts
    const backends = action.kind === 'forward' ? action.backends : []
    const [only] = backends
    const chosen =
      backends.length === 1 && only && only.weight > 0 ? only : pickWeighted(backends, context.deps.random())
    const backend = chosen?.backend
    const limits = context.routeLimits.of(policy)
    facts.limits = limits
    owner.routed(limits)
    body.limitTo(limits.maxBodyBytes)
    if (limits.maxBodyBytes > 0 && facts.bodyBytes > limits.maxBodyBytes) {
      owner.answer('body-too-large')
      return undefined
    }
    if (backend === undefined) owner.answer('no-endpoint')
    else if (facts.isGrpc && !speaksHttp2(pair.routes.backends.get(backend))) {
      owner.answer('grpc-needs-http2')
      return undefined
    }
    return backend
  }
}
