// `npm run soak [-- --smoke]`: the product as a process of its own, under traffic and edits for half an hour. It prints
// a line a minute, ends by itself, and with code 1 when anything was wrong, lost or growing.
import { setTimeout as sleep } from 'node:timers/promises'
import { AliveSites } from '../builders/alive-sites.ts'
import {
  Dice,
  editSite,
  fileOfSite,
  type RoutesDocument,
  randomSite,
  type Site,
  tablesOfSite,
} from '../builders/random-site.ts'
import { Load, type Question } from '../dataplane/load.ts'
import { type Origin, startOrigin } from '../dataplane/ordered-plane.ts'
import { type Flood, SlowReader, startFlood } from '../fakes/flood.ts'
import { Product } from './product.ts'
import { Tunnel } from './tunnel.ts'
import { faultsOf, handlesOf, liveHeapOf, mib, rowsOf, type Sample, type Tolerance } from './verdict.ts'

/** How much of everything. */
interface Plan {
  /** It ends when so long has passed, so much was answered, and the slow client has all. */
  readonly minutes: number
  readonly requests: number
  readonly slowBytes: number
  readonly slowBytesPerSecond: number
  /** Between two edits. */
  readonly editEveryMs: number
  /** Between an answer and the next question of a connection. */
  readonly pauseMs: number
  readonly sampleEveryMs: number
  /** What memory and pools take until they are level. */
  readonly warmUpMinutes: number
  readonly tolerance: Tolerance
}

interface Traffic {
  readonly load: Load
  readonly slow: SlowReader
  /** One a line of the table, oldest first. */
  readonly samples: Sample[]
}

const MIB = 1024 * 1024
const SECOND = 1_000
const MINUTE = 60 * SECOND

// 2 GiB at 1 MiB/s take 34 minutes (R20-173).
const WHOLE: Plan = {
  minutes: 30,
  requests: 10_000,
  slowBytes: 2048 * MIB,
  slowBytesPerSecond: MIB,
  editEveryMs: 200,
  pauseMs: 25,
  sampleEveryMs: MINUTE,
  warmUpMinutes: 5,
  tolerance: { rssBytes: 96 * MIB, liveHeapBytes: 12 * MIB, sockets: 64, handles: 8 },
}

const SMOKE: Plan = {
  minutes: 0.5,
  requests: 10_000,
  slowBytes: 16 * MIB,
  slowBytesPerSecond: MIB,
  editEveryMs: 0,
  pauseMs: 2,
  sampleEveryMs: 5 * SECOND,
  warmUpMinutes: 0.2,
  // The heaps are looked at twice a minute: not at all before the warm-up ends. Until the first collection the resident
  // memory grows with the traffic: by 45 MiB on a quiet machine.
  tolerance: { rssBytes: 128 * MIB, liveHeapBytes: Number.POSITIVE_INFINITY, sockets: 64, handles: 8 },
}

/** So many samples show where a run ended: sockets come and go with the traffic, between 70 and 150 of them. */
const ENDING = 3
const ORIGINS = 24
const CONNECTIONS = 16
const TUNNELS = 4
/** So many questions, then the client takes another connection. */
const PER_CONNECTION = 200
const STEADY = 'steady.example'
const BIG = 'big.example'

/** The world around the product: origins, clients, and the site that changes. */
class Soak {
  readonly #plan: Plan
  readonly #dice: Dice
  readonly #origins: readonly Origin[]
  readonly #flood: Flood
  readonly #addressOf: ReadonlyMap<string, string>
  readonly #sites: AliveSites
  #edits = 0

  static async create(plan: Plan, seed: number): Promise<Soak> {
    const origins = await Promise.all(Array.from({ length: ORIGINS }, (_none, index) => startOrigin(`o-${index}`)))
    return new Soak(plan, { seed, origins, flood: await startFlood(plan.slowBytes) })
  }

  private constructor(
    plan: Plan,
    { seed, origins, flood }: { readonly seed: number; readonly origins: readonly Origin[]; readonly flood: Flood },
  ) {
    this.#plan = plan
    this.#dice = new Dice(seed)
    this.#origins = origins
    this.#flood = flood
    this.#addressOf = new Map(origins.map(({ address }, index) => [`o-${index}`, address]))
    this.#sites = new AliveSites(randomSite(this.#dice, [...this.#addressOf.keys()]))
  }

  /** What was wrong with the run; empty: nothing. */
  async run(): Promise<readonly string[]> {
    const product = await Product.start(this.#document(this.#sites.newest))
    const faults: string[] = []
    try {
      faults.push(...(await this.#soak(product)))
    } catch (error) {
      faults.push(String(error), ...product.lastLines)
    }
    for (const origin of this.#origins) origin.stop()
    this.#flood.stop()
    const code = await product.stop()
    return code === 0 ? faults : [...faults, `the product ended with ${code}`]
  }

  async #soak(product: Product): Promise<readonly string[]> {
    const { pauseMs, slowBytes, slowBytesPerSecond, tolerance } = this.#plan
    const { port } = product
    const next = (): Question => this.#ask()
    const load = new Load({ port, connections: CONNECTIONS, pauseMs, perConnection: PER_CONNECTION, next })
    const slow = new SlowReader(port, { host: BIG, bytesPerSecond: slowBytesPerSecond })
    const tunnels = Array.from({ length: TUNNELS }, () => new Tunnel(port, STEADY))
    const samples: Sample[] = []
    try {
      await this.#churn(product, { load, slow, samples })
    } finally {
      await load.stop()
      slow.stop()
      for (const tunnel of tunnels) tunnel.stop()
    }
    const { wrong, lost } = load.report()
    const read = slow.bodyBytes
    const broken = tunnels.filter((tunnel) => tunnel.hasBroken).length
    for (const text of wrong.slice(0, 5)) print(text)
    const [warm, ...later] = samples.filter(({ minutes }) => minutes >= this.#plan.warmUpMinutes)
    const ending = later.slice(-ENDING).map((sample) => ({ ...sample, wrong: wrong.length, lost: lost.length }))
    return [
      ...(warm && ending.length > 0 ? faultsOf(warm, ending, tolerance) : ['too short']),
      ...(read === slowBytes ? [] : [`the slow client got ${read} of ${slowBytes} bytes`]),
      ...(broken === 0 ? [] : [`${broken} of ${TUNNELS} tunnels broke`]),
    ]
  }

  /** Edits and takes samples until the plan is fulfilled. */
  async #churn(product: Product, { load, slow, samples }: Traffic): Promise<void> {
    const { minutes, requests, editEveryMs, sampleEveryMs, slowBytes } = this.#plan
    const began = performance.now()
    print(HEADING)
    for (let sampleAt = 0, now = 0; ; now = performance.now() - began) {
      if (now >= sampleAt) {
        sampleAt = now + sampleEveryMs
        const { answered, wrong, lost } = load.report()
        const sample = { ...product.look(), minutes: now / MINUTE, answered, wrong: wrong.length, lost: lost.length }
        samples.push(sample)
        print(lineOf(sample, this.#edits))
        const isDone = sample.minutes >= minutes && answered >= requests && slow.bodyBytes >= slowBytes
        if (isDone || sample.minutes > minutes * 2 + 1) return
      }
      await this.#edit(product)
      if (editEveryMs > 0) await sleep(editEveryMs)
    }
  }

  /** An edit that changes what is served. */
  async #edit(product: Product): Promise<void> {
    const before = this.#sites.newest
    let site = before
    while (this.#effectOf(site) === this.#effectOf(before)) {
      site = editSite(site, this.#dice, [...this.#addressOf.keys()])
    }
    this.#sites.publishing(site)
    await product.edit(this.#document(site))
    this.#sites.served()
    this.#edits += 1
  }

  #effectOf(site: Site): string {
    const { routes, endpoints } = tablesOfSite(site, this.#addressOf)
    return `${routes.digest} ${endpoints.digest}`
  }

  #document(site: Site): RoutesDocument {
    const file = fileOfSite(site, this.#addressOf)
    const steady = this.#addressOf.get('o-0')
    return {
      ...file,
      backends: [
        ...file.backends,
        { name: 'big', endpoints: [this.#flood.address] },
        { name: 'steady', endpoints: [steady] },
      ],
      routes: [
        ...file.routes,
        { host: BIG, path: '/', backend: 'big' },
        { host: STEADY, path: '/', backend: 'steady' },
      ],
    }
  }

  #ask(): Question {
    const question = this.#sites.ask(this.#dice)
    const judge: Question['judge'] = ({ head, body }) => {
      const status = head.split(' ')[1] ?? ''
      return question.judge(status === '200' ? body : status)
    }
    return { ...question, judge }
  }
}

const COLUMNS = [
  'minutes',
  'RSS MiB',
  'live heap',
  'descriptors',
  'sockets',
  'handles',
  'slots',
  'edits',
  'answered',
  'wrong',
  'lost',
]
const HEADING = COLUMNS.join('  ')

function lineOf(sample: Sample, edits: number): string {
  const { minutes, rssBytes, descriptors, sockets, answered, wrong, lost } = sample
  const cells = [
    minutes.toFixed(1),
    mib(rssBytes),
    mib(liveHeapOf(sample)),
    descriptors,
    sockets,
    handlesOf(sample),
    rowsOf(sample),
  ]
  const texts = [...cells, edits, answered, wrong, lost].map(String)
  return texts.map((text, index) => text.padStart(COLUMNS[index]?.length ?? 0)).join('  ')
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** `undefined`: the words are not understood. */
function planOf(words: readonly string[]): Plan | undefined {
  const [word, minutes, ...more] = words
  if (word === undefined) return WHOLE
  if (word === '--smoke' && minutes === undefined) return SMOKE
  if (word !== '--minutes' || more.length > 0 || !/^[1-9]\d{0,3}$/.test(minutes ?? '')) return undefined
  const asked = Number(minutes)
  const slowBytes = Math.min(WHOLE.slowBytes, asked * 60 * WHOLE.slowBytesPerSecond)
  return { ...WHOLE, minutes: asked, slowBytes, warmUpMinutes: asked / 6 }
}

async function main(): Promise<void> {
  const plan = planOf(process.argv.slice(2))
  if (!plan) {
    process.stderr.write('usage: npm run soak [-- --smoke | --minutes N]\n')
    process.exitCode = 64
    return
  }
  const seed = Math.floor(Math.random() * 1e6)
  print(`soak of ${plan.minutes} minutes, seed ${seed}`)
  const faults = await (await Soak.create(plan, seed)).run()
  for (const fault of faults) print(`fault: ${fault}`)
  print(faults.length === 0 ? 'soak passed: 0 wrong, 0 lost, level' : 'soak failed')
  process.exitCode = faults.length === 0 ? 0 : 1
}

await main()
