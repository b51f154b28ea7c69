// What waits for a slow side waits in the kernel and at its source, and not in our memory (R20-172, R20-173). Measured
// on the resident memory of the product as a process of its own.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { ENGINES_ONCE, flagsOf } from './dataplane/engines-under-test.ts'
import { type Flood, SlowReader, startFlood } from './fakes/flood.ts'
import { listening } from './fakes/listening.ts'
import { rssOf } from './process/process-figures.ts'
import { RamjetProcess } from './process/ramjet-process.ts'

const MIB = 1024 * 1024
const GIB = 1024 * MIB
const MB = 1_000_000
/** R20-173: so much may a gigabyte grow that nobody reads. */
const UNREAD_GROWTH = 50 * MB
/** A side that took nothing for so long takes nothing more. */
const STUCK_MS = 1_500
const LOOK_MS = 250

for (const served of ENGINES_ONCE) {
  describe(`memory with ${served.title}`, function () {
    this.timeout(120_000)
    let dir = ''
    let ramjet: RamjetProcess
    let port = 0
    let flood: Flood
    let silent: SilentOrigin

    beforeEach(async () => {
      dir = await mkdtemp(join(tmpdir(), 'ramjet-memory-'))
      const file = join(dir, 'routes.yaml')
      flood = await startFlood(2 * GIB)
      silent = await SilentOrigin.start()
      const backends = [
        { name: 'flood', endpoints: [flood.address] },
        { name: 'silent', endpoints: [silent.address] },
      ]
      const routes = backends.map(({ name }) => ({ host: `${name}.example`, path: '/', backend: name }))
      await writeFile(file, JSON.stringify({ backends, routes }))
      ramjet = new RamjetProcess([
        '--static-routes',
        file,
        '--http',
        '127.0.0.1:0',
        '--no-admin',
        '--workers',
        '1',
        ...flagsOf(served),
      ])
      const [http = ''] = (await ramjet.logged('ramjet'))['http'] as string[]
      port = Number(http.split(':').at(-1))
      await warmUp()
    })

    afterEach(async () => {
      await ramjet.kill()
      flood.stop()
      silent.stop()
      await rm(dir, { recursive: true })
    })

    /** Loads what a first answer loads, so that it is no growth. */
    async function warmUp(): Promise<void> {
      const reader = new SlowReader(port, { host: 'flood.example', bytesPerSecond: 100 * MIB })
      while (reader.bodyBytes < 20 * MIB) await sleep(LOOK_MS)
      reader.stop()
      await sleep(STUCK_MS)
    }

    /** The most that memory was above `from`, over `seconds`. */
    async function growthFor(seconds: number, from: number): Promise<number> {
      let most = 0
      const until = performance.now() + seconds * 1_000
      while (performance.now() < until) {
        most = Math.max(most, rssOf(ramjet.pid) - from)
        await sleep(LOOK_MS)
      }
      return most
    }

    /** The most that memory grew until `taken` stands still: somewhere above a mebibyte, or something is wrong. */
    async function growthUntilStuck(taken: () => number, from: number): Promise<number> {
      let most = 0
      for (
        let [known, sinceMs] = [-1, performance.now()];
        performance.now() - sinceMs < STUCK_MS;
        await sleep(LOOK_MS)
      ) {
        most = Math.max(most, rssOf(ramjet.pid) - from)
        if (taken() === known && known >= MIB) continue
        known = taken()
        sinceMs = performance.now()
      }
      return most
    }

    it('is flat while a client reads 2 GiB at 1 MiB/s, for a minute of it', async () => {
      const startedMs = performance.now()
      const reader = new SlowReader(port, { host: 'flood.example', bytesPerSecond: MIB })
      await sleep(5_000)
      const growth = await growthFor(55, rssOf(ramjet.pid))
      const read = reader.bodyBytes
      const seconds = (performance.now() - startedMs) / 1_000
      reader.stop()
      // A minute is longer on a machine that stands still in it.
      expect(read).to.be.within((seconds - 10) * MIB, (seconds + 2) * MIB)
      // What is on its way lies in the buffers of sockets.
      expect(flood.sentBytes() - read).to.be.below(64 * MIB)
      expect(growth).to.be.below(16 * MIB)
    })

    it('grows by less than 50 MB with a response of 2 GiB that the client does not read', async () => {
      const [before, sentBefore] = [rssOf(ramjet.pid), flood.sentBytes()]
      const reader = new SlowReader(port, { host: 'flood.example', bytesPerSecond: 0 })
      const sent = (): number => flood.sentBytes() - sentBefore
      expect(await growthUntilStuck(sent, before)).to.be.below(UNREAD_GROWTH)
      expect(sent()).to.be.within(MIB, 64 * MIB)
      reader.stop()
    })

    it('grows by less than 50 MB with a request of 1 GB that the upstream does not read', async () => {
      const before = rssOf(ramjet.pid)
      const writer = new Writer(
        port,
        `POST / HTTP/1.1\r\nHost: silent.example\r\nContent-Length: ${1_000 * MB}\r\n\r\n`,
      )
      await silent.connected()
      expect(await growthUntilStuck(() => writer.takenBytes, before)).to.be.below(UNREAD_GROWTH)
      expect(writer.takenBytes).to.be.within(MIB, 64 * MIB)
      writer.stop()
    })

    it('grows by less than 50 MB with 1 GB in a tunnel that the other side does not read', async () => {
      const before = rssOf(ramjet.pid)
      const upgrade = 'GET / HTTP/1.1\r\nHost: silent.example\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n'
      const writer = new Writer(port, upgrade)
      const upstream = await silent.connected()
      upstream.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n')
      expect(await growthUntilStuck(() => writer.takenBytes, before)).to.be.below(UNREAD_GROWTH)
      expect(writer.takenBytes).to.be.within(MIB, 64 * MIB)
      writer.stop()
    })
  })
}

/** Takes connections and never reads from them. */
class SilentOrigin {
  readonly address: string
  readonly #server: Server
  readonly #first: Promise<Socket>
  readonly #sockets = new Set<Socket>()

  static async start(): Promise<SilentOrigin> {
    const server = createServer({ pauseOnConnect: true })
    return new SilentOrigin(server, await listening(server))
  }

  private constructor(server: Server, port: number) {
    this.address = `127.0.0.1:${port}`
    this.#server = server
    this.#first = new Promise((resolve) => {
      server.on('connection', (socket) => {
        this.#sockets.add(socket)
        socket.on('error', () => socket.destroy())
        resolve(socket)
      })
    })
  }

  /** The first connection. */
  connected(): Promise<Socket> {
    return this.#first
  }

  stop(): void {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
  }
}

/** Writes without an end, as fast as it is taken. */
class Writer {
  readonly #socket: Socket
  readonly #chunk: Buffer = Buffer.alloc(64 * 1024, 'x')
  #bytes = 0

  constructor(port: number, head: string) {
    this.#socket = connect({ host: '127.0.0.1', port })
    this.#socket.on('error', () => this.#socket.destroy())
    this.#socket.on('drain', () => this.#write())
    this.#socket.write(head, () => this.#write())
  }

  /** What left this process. */
  get takenBytes(): number {
    return this.#bytes - this.#socket.writableLength
  }

  stop(): void {
    this.#socket.destroy()
  }

  #write(): void {
    while (!this.#socket.destroyed && this.#bytes < 1_000 * MB) {
      this.#bytes += this.#chunk.length
      if (!this.#socket.write(this.#chunk)) return
    }
  }
}
