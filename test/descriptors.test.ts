// The product as a process that may have few file descriptors (R20-97, 71 #209, #210).
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { ENGINES_UNDER_TEST, flagsOf } from './dataplane/engines-under-test.ts'
import { openClient } from './fakes/raw-client.ts'
import type { RecordedSocket } from './fakes/recorded-socket.ts'
import { RawUpstream } from './fakes/upstream.ts'
import { RamjetProcess } from './process/ramjet-process.ts'

const ASKED = 'GET / HTTP/1.1\r\nHost: shop.example\r\n\r\n'
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

for (const served of ENGINES_UNDER_TEST) {
  describe(`few descriptors with ${served.title}`, function () {
    this.timeout(60_000)
    let dir = ''
    let upstream: RawUpstream
    let ramjet: RamjetProcess | undefined
    const clients: RecordedSocket[] = []

    beforeEach(async () => {
      dir = await mkdtemp(join(tmpdir(), 'ramjet-descriptors-'))
      upstream = await RawUpstream.start()
      upstream.answer(OK)
      const backends = [{ name: 'shop', endpoints: [upstream.address] }]
      const routes = [{ host: 'shop.example', path: '/', backend: 'shop' }]
      await writeFile(join(dir, 'routes.yaml'), JSON.stringify({ backends, routes }))
    })

    afterEach(async () => {
      for (const { socket } of clients.splice(0)) socket.destroy()
      await ramjet?.kill()
      upstream.stop()
      await rm(dir, { recursive: true })
    })

    async function start(maxOpenFiles: number, ...more: readonly string[]): Promise<{ http: number; admin: number }> {
      const file = join(dir, 'routes.yaml')
      const args = [
        '--static-routes',
        file,
        '--http',
        '127.0.0.1:0',
        '--admin',
        '127.0.0.1:0',
        '--workers',
        '1',
        ...more,
        ...flagsOf(served),
      ]
      ramjet = new RamjetProcess(args, { maxOpenFiles })
      const banner = await ramjet.logged('ramjet')
      const [http = ''] = banner['http'] as string[]
      const { port } = new URL(String(banner['admin']))
      return { http: Number(http.split(':').at(-1)), admin: Number(port) }
    }

    async function connect(port: number, count: number): Promise<void> {
      for (let made = 0; made < count; made += 1) clients.push(await openClient(port))
    }

    /** Waits until `count` of the clients were closed. */
    async function closed(count: number): Promise<void> {
      while (clients.filter(({ isEnded, isClosed }) => isEnded || isClosed).length < count) await sleep(5)
    }

    function alive(): readonly RecordedSocket[] {
      return clients.filter(({ isEnded, isClosed }) => !isEnded && !isClosed)
    }

    /** Resolves as soon as a new connection is served; until it has noticed that others are gone, it closes some. */
    async function servedAgain(port: number): Promise<void> {
      for (;;) {
        const client = await openClient(port)
        clients.push(client)
        client.write(ASKED)
        await client.when(() => client.isEnded || client.isClosed || client.text.includes('\r\n\r\n'), 'an answer')
        // Another one is of ours, where no descriptor is left for an upstream.
        if (client.text.startsWith('HTTP/1.1 200')) return
        client.socket.destroy()
      }
    }

    it('71 #210: the default limit leaves enough for upstreams, admin and files', async () => {
      const { http, admin } = await start(64)
      await connect(http, 30)
      await closed(22)
      expect(alive()).to.have.length(8)
      await answered(alive())
      const text = await (await fetch(`http://127.0.0.1:${admin}/metrics`)).text()
      expect(text).to.match(/^ramjet_connections_dropped_total\{reason="limit"\} 22$/m)
      for (const { socket } of clients.splice(0)) socket.destroy()
      await servedAgain(http)
    })

    it('71 #210: a limit that was given too high costs connections, and neither crashes nor spins', async () => {
      const { http } = await start(64, '--max-connections', '1000')
      await connect(http, 100)
      while (alive().length > 50) await sleep(5)
      const before = cpuTicks(ramjet?.pid ?? 0)
      await sleep(1000)
      expect(cpuTicks(ramjet?.pid ?? 0) - before, 'hundredths of a second of CPU in a second').to.be.below(50)
      for (const { socket } of clients.splice(0)) socket.destroy()
      await servedAgain(http)
    })
  })
}

/** Asks on each of them and waits for all answers. */
async function answered(list: readonly RecordedSocket[]): Promise<void> {
  for (const client of list) client.write(ASKED)
  await Promise.all(list.map((client) => client.until('ok')))
}

/** CPU time that a process has used, in hundredths of a second. */
function cpuTicks(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return Number(fields[11]) + Number(fields[12])
}
