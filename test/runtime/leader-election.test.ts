import { expect } from 'chai'
import { LeaderElection, type LeaderElectionSettings, type Term } from '../../src/runtime/leader-election.ts'
import { FakeClock, settled } from '../fakes/clock.ts'
import { LeaseLink, LeaseServer, type Passage } from '../fakes/lease-server.ts'
import { FakeLogger } from '../fakes/logger.ts'
import { fixedRandom } from '../fakes/random.ts'

const PATH = '/apis/coordination.k8s.io/v1/namespaces/ramjet-system/leases/ramjet'
const SETTINGS: LeaderElectionSettings = {
  namespace: 'ramjet-system',
  name: 'ramjet',
  identity: 'a',
  durationMs: 15_000,
  renewMs: 10_000,
  retryMs: 2000,
  askAgainMs: 60_000,
  releaseMs: 1000,
}

interface Candidate {
  readonly election: LeaderElection
  readonly terms: Term[]
  readonly log: FakeLogger
  /** What its calls meet from now on. */
  passage: Passage
  stop(): Promise<void>
}

describe('LeaderElection', () => {
  let clock: FakeClock
  let server: LeaseServer
  let candidates: Candidate[]

  beforeEach(() => {
    clock = new FakeClock()
    server = new LeaseServer(() => clock.monotonicMs())
    candidates = []
  })

  afterEach(async () => {
    for (const candidate of candidates) {
      candidate.passage = { requestMs: 0, answerMs: 0 }
      const stopped = candidate.stop()
      await pass(100)
      await stopped
    }
    await pass(60_000)
    expect(clock.pending(), 'timers left').to.deep.equal([])
  })

  function stand(identity: string, { mayWatch = true }: { readonly mayWatch?: boolean } = {}): Candidate {
    const terms: Term[] = []
    const log = new FakeLogger()
    const abort = new AbortController()
    const passage = (): Passage => candidate.passage
    const client = new LeaseLink(server, { network: clock, timers: clock, passage, mayWatch, callTimeoutMs: 5000 })
    const election = new LeaderElection({
      client,
      settings: { ...SETTINGS, identity },
      clock,
      timers: clock,
      random: fixedRandom(0.5),
      log,
      onLead: (term) => terms.push(term),
    })
    let running = Promise.resolve()
    const candidate: Candidate = {
      election,
      terms,
      log,
      passage: { requestMs: 1, answerMs: 1 },
      stop: () => {
        abort.abort(new Error('over'))
        return running
      },
    }
    candidates.push(candidate)
    running = election.run(abort.signal)
    return candidate
  }

  /** Moves time on from timer to timer, and lets what each began go on. */
  async function pass(ms: number): Promise<void> {
    const endMs = clock.monotonicMs() + ms
    await settled()
    for (let leftMs = ms; leftMs > 0; leftMs = endMs - clock.monotonicMs()) {
      clock.advance(Math.min(clock.pending()[0] ?? leftMs, leftMs))
      await settled()
    }
  }

  const lease = (): Readonly<Record<string, unknown>> => server.objects.get(PATH)?.['spec'] as Record<string, unknown>
  const renewals = (): number => server.landed.length
  const lost: Passage = { requestMs: 1, answerMs: 1, loses: 'request' }

  function foreign(holder: string | undefined, spec: Readonly<Record<string, unknown>> = {}): void {
    const version = server.objects.get(PATH)?.metadata.resourceVersion
    const metadata = { name: 'ramjet', namespace: 'ramjet-system', labels: { team: 'x' }, resourceVersion: version }
    const whole = { metadata, spec: { holderIdentity: holder, leaseDurationSeconds: 15, ...spec } }
    server.write(PATH, whole, version === undefined)
  }

  it('takes a Lease that is not there, and renews it each retry period', async () => {
    const { election, terms } = stand('a')
    await pass(20)
    expect(terms).to.have.length(1)
    expect(election.mayWrite()).to.equal(true)
    expect(lease()).to.deep.include({ holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 0 })
    expect(lease()['renewTime']).to.match(/^2026-01-01T\d\d:\d\d:\d\d\.\d{6}Z$/)
    expect(renewals()).to.equal(1)
    await pass(10_000)
    expect(renewals()).to.be.within(5, 6)
    expect(terms).to.have.length(1)
  })

  for (const [words, renewTime] of [
    ['from the past', '1999-01-01T00:00:00.000000Z'],
    ['from the future', '2099-01-01T00:00:00.000000Z'],
  ] as const) {
    it(`takes a Lease that does not change for its duration, whose time is ${words}, and not before (R30-43)`, async () => {
      foreign('dead', { renewTime })
      const { election, terms } = stand('a')
      await pass(14_990)
      expect(election.isLeading).to.equal(false)
      await pass(20)
      expect(terms).to.have.length(1)
      expect(lease()).to.deep.include({ holderIdentity: 'a', leaseTransitions: 1 })
      expect(server.objects.get(PATH)?.metadata['labels']).to.deep.equal({ team: 'x' })
    })
  }

  it('takes a Lease that has changed hands as often as can be said', async () => {
    foreign('other', { leaseTransitions: 2 ** 31 - 1 })
    const { election } = stand('a')
    await pass(SETTINGS.durationMs + SETTINGS.retryMs)
    expect(election.isLeading).to.equal(true)
    expect(lease()).to.deep.include({ holderIdentity: 'a', leaseTransitions: 2 ** 31 - 1 })
  })

  it('counts anew whenever it sees the Lease change', async () => {
    foreign('other')
    const { election } = stand('a')
    for (let again = 0; again < 4; again += 1) {
      await pass(14_000)
      foreign('other')
    }
    expect(election.isLeading).to.equal(false)
    await pass(14_900)
    expect(election.isLeading).to.equal(false)
    await pass(200)
    expect(election.isLeading).to.equal(true)
  })

  it('takes a Lease that is given back at once (R30-42)', async () => {
    foreign('other')
    const { election } = stand('a')
    await pass(1000)
    foreign(undefined)
    await pass(5)
    expect(election.isLeading).to.equal(true)
  })

  it('reads the Lease each retry period where it may not watch, and then takes what was given back', async () => {
    foreign('other')
    const { election } = stand('a', { mayWatch: false })
    await pass(1000)
    foreign(undefined)
    await pass(5)
    expect(election.isLeading).to.equal(false)
    await pass(2000)
    expect(election.isLeading).to.equal(true)
  })

  it('stops to write at the renew deadline, counted from when the last renewal was sent, and ends the term', async () => {
    const candidate = stand('a')
    const { election, terms } = candidate
    await pass(3000)
    const sentAtMs = (server.landed.at(-1)?.atMs ?? 0) - 1
    candidate.passage = lost
    await pass(sentAtMs + 10_000 - clock.monotonicMs() - 1)
    expect(election.mayWrite()).to.equal(true)
    expect(terms[0]?.signal.aborted).to.equal(false)
    await pass(1)
    expect(election.mayWrite()).to.equal(false)
    expect(terms[0]?.signal.aborted).to.equal(true)
  })

  it('is no leader when nobody let its timers run: the check alone sees that time is up (R70-90)', async () => {
    const { election, terms } = stand('a')
    await pass(100)
    const jumped = new FakeClock(clock.monotonicMs() + 10_001)
    const real = clock.monotonicMs.bind(clock)
    clock.monotonicMs = () => jumped.monotonicMs()
    expect(election.mayWrite()).to.equal(false)
    expect(terms[0]?.signal.aborted).to.equal(true)
    clock.monotonicMs = real
  })

  it('leads again, for a new term, once its own Lease can be renewed and nobody else took it', async () => {
    const candidate = stand('a')
    await pass(100)
    candidate.passage = lost
    await pass(12_000)
    expect(candidate.election.isLeading).to.equal(false)
    candidate.passage = { requestMs: 1, answerMs: 1 }
    await pass(9000)
    expect(candidate.election.isLeading).to.equal(true)
    expect(candidate.terms).to.have.length(2)
    expect(lease()).to.deep.include({ holderIdentity: 'a', leaseTransitions: 0 })
  })

  it('believes no answer that comes after the renew deadline of its own request', async () => {
    const candidate = stand('a')
    candidate.passage = { requestMs: 1, answerMs: 1 }
    await pass(100)
    candidate.passage = lost
    await pass(10_000)
    candidate.passage = { requestMs: 1, answerMs: 4900 }
    let most = 0
    for (let again = 0; again < 300; again += 1) {
      await pass(100)
      const newest = Math.max(...server.landed.map(({ atMs }) => atMs))
      if (candidate.election.mayWrite()) most = Math.max(most, clock.monotonicMs() - newest)
    }
    expect(most).to.be.within(1, 10_000)
  })

  it('goes on leading after an answer that was lost: what came of the write is read (R70-89)', async () => {
    const candidate = stand('a')
    await pass(100)
    candidate.passage = { requestMs: 1, answerMs: 1, loses: 'answer' }
    await pass(2500)
    candidate.passage = { requestMs: 1, answerMs: 1 }
    await pass(20_000)
    expect(candidate.terms).to.have.length(1)
    expect(candidate.election.isLeading).to.equal(true)
  })

  it('stops at once when it sees that another one holds the Lease', async () => {
    const { election, terms } = stand('a')
    await pass(100)
    foreign('thief')
    await pass(5)
    expect(election.isLeading).to.equal(false)
    expect(terms[0]?.signal.aborted).to.equal(true)
  })

  it('makes its Lease anew when somebody deletes it', async () => {
    const { election, terms } = stand('a')
    await pass(100)
    server.delete(PATH)
    await pass(20)
    expect(lease()).to.deep.include({ holderIdentity: 'a' })
    await pass(20_000)
    expect(election.isLeading).to.equal(true)
    expect(terms).to.have.length(1)
  })

  it('lets the holder of a Lease that was deleted have its time, as a candidate', async () => {
    foreign('other')
    const { election } = stand('b')
    await pass(5000)
    server.delete(PATH)
    await pass(9900)
    expect(election.isLeading).to.equal(false)
    await pass(200)
    expect(election.isLeading).to.equal(true)
  })

  it('gives the Lease back when it is stopped, and the next one has it without delay (R30-44)', async () => {
    const first = stand('a')
    await pass(100)
    const second = stand('b')
    await pass(3000)
    expect([first.election.isLeading, second.election.isLeading]).to.deep.equal([true, false])
    const stopped = first.stop()
    await pass(20)
    await stopped
    expect([first.election.isLeading, second.election.isLeading]).to.deep.equal([false, true])
    expect(lease()).to.deep.include({ holderIdentity: 'b', leaseTransitions: 1 })
  })

  it('gives back what it may have taken by a write whose answer never came', async () => {
    const candidate = stand('a')
    candidate.passage = { requestMs: 1, answerMs: 1, loses: 'answer' }
    server.objects.clear()
    await pass(3)
    candidate.passage = { requestMs: 1, answerMs: 1 }
    const stopped = candidate.stop()
    await pass(20)
    await stopped
    expect(lease()?.['holderIdentity'] ?? undefined).to.equal(undefined)
  })

  it('stops within its time when the API server does not answer', async () => {
    const candidate = stand('a')
    await pass(100)
    candidate.passage = lost
    const stopped = candidate.stop()
    await pass(1000)
    await stopped
    expect(candidate.log.of('warn').map(({ message }) => message)).to.deep.equal(['the lease runs out by itself'])
  })

  it('writes its notes with the next renewal, keeps those of others, and shows them to the next leader (R30-15)', async () => {
    foreign(undefined)
    const first = stand('a')
    await pass(100)
    expect(first.terms[0]?.noted('ramjet.dev/configuration')).to.equal(undefined)
    first.election.note('ramjet.dev/configuration', '7 abc')
    const stopped = first.stop()
    await pass(20)
    await stopped
    const second = stand('b')
    await pass(100)
    expect(second.terms[0]?.noted('ramjet.dev/configuration')).to.equal('7 abc')
    expect(server.objects.get(PATH)?.metadata['labels']).to.deep.equal({ team: 'x' })
  })

  it('tells of a trouble once, and once that it is over', async () => {
    const candidate = stand('a')
    await pass(100)
    candidate.passage = lost
    await pass(30_000)
    candidate.passage = { requestMs: 1, answerMs: 1 }
    await pass(30_000)
    const told = candidate.log.records.filter(({ level, message }) => level !== 'debug' && /lease/.test(message))
    expect(told.map(({ message }) => message)).to.deep.equal([
      'the lease cannot be had, trying again',
      'the lease can be had again',
    ])
  })
})
