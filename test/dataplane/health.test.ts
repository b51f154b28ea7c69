// Checks in the main thread, real workers that heed them, real origins that fail them (R20-148 to R20-154).
import { createServer } from 'node:http'
import { expect } from 'chai'
import { digestOfBackend } from '../../src/model/elements.ts'
import type { Pair } from '../../src/model/generation.ts'
import type { HealthCheck } from '../../src/model/policy.ts'
import { asPair, backendOf, tablesOf, withRoutesDigest } from '../builders/pair.ts'
import { listening } from '../fakes/listening.ts'
import { until } from './harness.ts'
import { type OrderedPlane, startOrderedPlane } from './ordered-plane.ts'

const HOST = 'web.example'
const CHECK: HealthCheck = {
  path: '/healthz',
  intervalMs: 100,
  timeoutMs: 5000,
  healthy: 1,
  unhealthy: 2,
  statuses: [[200, 399]],
}

interface Patient {
  readonly address: string
  isWell: boolean
  /** Checks that came. */
  checks: number
  stop(): void
}

/** An origin that answers with its name, and checks by how it is. */
async function startPatient(name: string): Promise<Patient> {
  const server = createServer((request, response) => {
    if (request.url !== CHECK.path) {
      response.end(name)
      return
    }
    patient.checks += 1
    response.writeHead(patient.isWell ? 200 : 503).end()
  })
  const port = await listening(server)
  const patient: Patient = {
    address: `127.0.0.1:${port}`,
    isWell: true,
    checks: 0,
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
  return patient
}

/** Both patients behind `HOST`; `check`: how they are checked. */
function pairWith(patients: readonly Patient[], generation: number, check?: HealthCheck): Pair {
  const tables = tablesOf({ [HOST]: patients.map(({ address }) => address) })
  const backends = [...tables.routes.backends.values()].map((backend) => {
    const checked = { ...backend, ...(check ? { healthCheck: check } : {}) }
    return { ...checked, digest: digestOfBackend(checked) }
  })
  const routes = withRoutesDigest({ ...tables.routes, backends: new Map(backends.map((one) => [one.name, one])) })
  return asPair({ ...tables, routes }, { generation })
}

describe('active checks of a data plane with real workers', function () {
  this.timeout(30_000)
  let plane: OrderedPlane
  let sick: Patient
  let well: Patient

  beforeEach(async () => {
    sick = await startPatient('sick')
    well = await startPatient('well')
    plane = await startOrderedPlane({ workers: 2 })
    await plane.plane.apply(pairWith([sick, well], 1, CHECK))
  })

  afterEach(async () => {
    await plane.stop()
    for (const patient of [sick, well]) patient.stop()
  })

  const healthOf = ({ address }: Patient): boolean | undefined => plane.plane.isHealthy(backendOf(HOST), address)

  /** Who answers so many requests, each on a connection of its own. */
  async function answers(count: number): Promise<ReadonlySet<string>> {
    const names = new Set<string>()
    for (let turn = 0; turn < count; turn += 1) {
      const connection = await plane.connect()
      names.add((await connection.ask(HOST, '/')).body)
      connection.close()
    }
    return names
  }

  /** Resolves when ten requests in a row were answered by `names` and by nobody else. */
  async function untilAnsweredBy(...names: readonly string[]): Promise<void> {
    for (;;) {
      const seen = await answers(10)
      if (seen.size === names.length && names.every((name) => seen.has(name))) return
    }
  }

  async function fall(patient: Patient): Promise<void> {
    patient.isWell = false
    await until(() => healthOf(patient) === false)
  }

  it('R20-151: an endpoint that fails its checks gets no request from any worker, and comes back', async () => {
    await untilAnsweredBy('sick', 'well')
    await fall(sick)
    await untilAnsweredBy('well')
    expect(await answers(20)).to.deep.equal(new Set(['well']))
    sick.isWell = true
    await until(() => healthOf(sick) === true)
    await untilAnsweredBy('sick', 'well')
  })

  it('R20-152: where every endpoint fails, all are used', async () => {
    await fall(sick)
    await fall(well)
    await untilAnsweredBy('sick', 'well')
  })

  it('a worker that replaces another one knows what failed', async () => {
    await fall(sick)
    for (const index of [0, 1]) {
      const before = plane.plane.workerRestarts().exit
      await plane.order(index, { kind: 'exit' })
      await until(() => plane.plane.workerRestarts().exit > before)
      await until(() => plane.plane.workers().every(({ state }) => state === 'serving'))
    }
    expect(await answers(20)).to.deep.equal(new Set(['well']))
  })

  it('R20-151: a backend that asks for no check any more is used whole, and not checked again', async () => {
    await fall(sick)
    await plane.plane.apply(pairWith([sick, well], 2))
    const { checks } = sick
    expect(healthOf(sick)).to.equal(undefined)
    await untilAnsweredBy('sick', 'well')
    // A check that was on its way when the publish came may have been counted since; after it there is none.
    expect(sick.checks - checks).to.be.at.most(1)
  })

  it('R20-154: leaves no timer and no socket behind, over many publishes', async () => {
    await plane.plane.apply(pairWith([sick, well], 2))
    const before = resources()
    for (let generation = 3; generation < 103; generation += 1) {
      const patients = generation % 3 === 0 ? [sick] : [sick, well]
      await plane.plane.apply(pairWith(patients, generation, generation % 2 === 0 ? CHECK : undefined))
    }
    await plane.plane.apply(pairWith([sick, well], 103, { ...CHECK, intervalMs: 100 }))
    await until(() => healthOf(sick) === true && healthOf(well) === true)
    await plane.plane.apply(pairWith([sick, well], 104))
    await until(() => resources() <= before)
  })
})

/** Timers of this thread that are set, and TCP sockets that are open in it. */
function resources(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout' || kind.startsWith('TCPSocket')).length
}
