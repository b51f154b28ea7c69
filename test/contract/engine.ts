import type { EngineFactory } from '../../src/dataplane/engine.ts'
import { type KeyPair, makeCertificate } from '../fakes/certificates.ts'
import { accountCases } from './engine/accounts.ts'
import { answerCases } from './engine/answers.ts'
import { backendChaosCases } from './engine/backend-chaos.ts'
import { backendFrameCases } from './engine/backend-frames.ts'
import { backendProtocolCases } from './engine/backend-protocols.ts'
import { backendSharingCases } from './engine/backend-sharing.ts'
import { backendStreamCases } from './engine/backend-streams.ts'
import { backendTlsCases } from './engine/backend-tls.ts'
import { balancingCases } from './engine/balancing.ts'
import { type BenchOptions, EngineBench } from './engine/bench.ts'
import { bodyCases } from './engine/bodies.ts'
import { budgetCases } from './engine/budget.ts'
import { connectionCases } from './engine/connections.ts'
import { deadlineCases } from './engine/deadlines.ts'
import { grpcCases } from './engine/grpc.ts'
import { httpsFirstCases } from './engine/https-first.ts'
import { limitCases } from './engine/limits.ts'
import { matrixCases } from './engine/matrix.ts'
import { policyCases } from './engine/policies.ts'
import { policyRetryCases } from './engine/policy-retries.ts'
import { identity, ORIGIN_NAME } from './engine/protocol-bench.ts'
import { requestCases } from './engine/requests.ts'
import { responseCases } from './engine/responses.ts'
import { retryCases } from './engine/retries.ts'
import { rewriteCases } from './engine/rewrites.ts'
import { upgradeCases } from './engine/upgrades.ts'

/** Starts a bench around the engine under test; it is stopped when the case ends. */
export type StartBench = (options?: BenchOptions) => Promise<EngineBench>

/** Cases wait for events; how soon those come is a matter of the machine. */
const CASE_TIMEOUT_MS = 60_000

/** Every behaviour that all engines share, over real sockets (R20-179). */
export function engineContract(title: string, makeEngine: EngineFactory): void {
  describe(title, function () {
    this.timeout(CASE_TIMEOUT_MS)
    const benches: EngineBench[] = []
    const start: StartBench = async (options) => {
      const bench = await EngineBench.start(makeEngine, options)
      benches.push(bench)
      return bench
    }

    afterEach(() => {
      for (const bench of benches.splice(0)) bench.stop()
    })

    describe('counters', () => accountCases(start))
    describe('requests to the upstream', () => requestCases(start))
    describe('responses to the client', () => responseCases(start))
    describe('answers of our own', () => answerCases(start))
    describe('answers to gRPC', () => grpcCases(start))
    describe('bodies', () => bodyCases(start))
    describe('connections', () => connectionCases(start))
    describe('deadlines', () => deadlineCases(start))
    describe('limits', () => limitCases(start))
    describe('the budget of buffered bytes', () => budgetCases(start))
    describe('balancing and health', () => balancingCases(start))
    describe('retries', () => retryCases(start))
    describe('limits of one route', () => policyCases(start))
    describe('retries of one route', () => policyRetryCases(start))
    describe('the way to https', () => httpsFirstCases(start))
    describe('rewrites and redirects', () => rewriteCases(start))
    describe('upgrades', () => upgradeCases(start))
    describe('every version with every protocol', () => matrixCases(start))
    describe('protocols of backends', () => backendProtocolCases(start))
    describe('TLS towards backends', () => backendTlsCases(start))
    describe('chaos behind backends', () => backendChaosCases(start))
    describe('HTTP/2 towards backends', () => backendStreamCases(start))
    describe('frames of HTTP/2 towards backends', () => backendFrameCases(start))
    describe('one session of HTTP/2 for many', () => backendSharingCases(start))
  })
}

/**
 * What of it could differ where clients come by TLS: whatever has to do with how bytes are read and written, held back,
 * ended and cut.
 */
export function secureEngineContract(title: string, makeEngine: EngineFactory): void {
  describe(title, function () {
    this.timeout(CASE_TIMEOUT_MS)
    const benches: EngineBench[] = []
    const start: StartBench = async (options) => {
      const bench = await EngineBench.start(makeEngine, { ...options, isSecure: true })
      benches.push(bench)
      return bench
    }

    afterEach(() => {
      for (const bench of benches.splice(0)) bench.stop()
    })

    describe('responses to the client', () => responseCases(start))
    describe('bodies', () => bodyCases(start))
    describe('connections', () => connectionCases(start))
    describe('deadlines', () => deadlineCases(start))
    describe('the budget of buffered bytes', () => budgetCases(start))
    describe('upgrades', () => upgradeCases(start))
  })
}

/** The same where backends are dialled by TLS: bytes both ways, their ends, and what is tried again. */
export function secureBackendContract(title: string, makeEngine: EngineFactory): void {
  describe(title, function () {
    this.timeout(CASE_TIMEOUT_MS)
    const benches: EngineBench[] = []
    let pair: KeyPair
    const start: StartBench = async (options = {}) => {
      const backend = { protocol: 'https', tls: identity(pair), ...options.backend } as const
      const bench = await EngineBench.start(makeEngine, { ...options, backend, upstreamPair: pair })
      benches.push(bench)
      return bench
    }

    before(() => {
      pair = makeCertificate([ORIGIN_NAME])
    })
    afterEach(() => {
      for (const bench of benches.splice(0)) bench.stop()
    })

    describe('responses to the client', () => responseCases(start))
    describe('bodies', () => bodyCases(start))
    describe('retries', () => retryCases(start))
    describe('retries of one route', () => policyRetryCases(start))
    describe('upgrades', () => upgradeCases(start))
  })
}
