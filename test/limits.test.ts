// Flags of limits reach the engine in its worker: one process with limits that are easy to pass.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { ENGINES_UNDER_TEST, flagsOf } from './dataplane/engines-under-test.ts'
import { openClient } from './fakes/raw-client.ts'
import { RawUpstream } from './fakes/upstream.ts'
import { RamjetProcess } from './process/ramjet-process.ts'

const SIZES = [
  ['--max-target-size', '100'],
  ['--max-header-size', '500'],
  ['--max-headers', '5'],
  ['--max-body-size', '10'],
  ['--keepalive-requests', '2'],
  ['--max-response-headers', '3'],
].flat()

/** For a process of its own: what must be answered would be late too, on a busy machine. */
const TIMES = [
  ['--response-timeout', '2s'],
  ['--body-timeout', '2s'],
  ['--header-timeout', '2s'],
].flat()

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

/** The head of a request. */
function head(line: string, ...lines: readonly string[]): string {
  return [line, 'Host: shop.example', ...lines, '', ''].join('\r\n')
}

for (const served of ENGINES_UNDER_TEST) {
  describe(`limits that were given as flags, with ${served.title}`, function () {
    this.timeout(60_000)
    let dir = ''
    let upstream: RawUpstream
    const processes: RamjetProcess[] = []
    let port = 0
    let hastyPort = 0

    before(async () => {
      dir = await mkdtemp(join(tmpdir(), 'ramjet-limits-'))
      upstream = await RawUpstream.start()
      const file = join(dir, 'routes.yaml')
      const backends = [{ name: 'shop', endpoints: [upstream.address] }]
      await writeFile(
        file,
        JSON.stringify({ backends, routes: [{ host: 'shop.example', path: '/', backend: 'shop' }] }),
      )
      port = await start(file, SIZES)
      hastyPort = await start(file, TIMES)
    })

    after(async () => {
      await Promise.all(processes.map((ramjet) => ramjet.kill()))
      upstream.stop()
      await rm(dir, { recursive: true })
    })

    /** The port of a process with these flags. */
    async function start(file: string, flags: readonly string[]): Promise<number> {
      const place = ['--static-routes', file, '--http', '127.0.0.1:0', '--no-admin', '--workers', '1']
      const ramjet = new RamjetProcess([...place, ...flags, ...flagsOf(served)])
      processes.push(ramjet)
      const [http = ''] = (await ramjet.logged('ramjet'))['http'] as string[]
      return Number(http.split(':').at(-1))
    }

    async function answerTo(bytes: string, at = port): Promise<string> {
      const client = await openClient(at)
      await client.write(bytes).until('\r\n\r\n')
      client.socket.destroy()
      return client.text
    }

    for (const { flag, bytes, answer, status } of [
      { flag: 'none', bytes: head('GET / HTTP/1.1'), answer: OK, status: 200 },
      { flag: '--max-target-size', bytes: head(`GET /${'a'.repeat(100)} HTTP/1.1`), answer: OK, status: 414 },
      { flag: '--max-header-size', bytes: head('GET / HTTP/1.1', `A: ${'a'.repeat(500)}`), answer: OK, status: 431 },
      {
        flag: '--max-headers',
        bytes: head('GET / HTTP/1.1', 'a: 1', 'b: 2', 'c: 3', 'd: 4', 'e: 5'),
        answer: OK,
        status: 431,
      },
      { flag: '--max-body-size', bytes: head('POST / HTTP/1.1', 'Content-Length: 11'), answer: OK, status: 413 },
      {
        flag: '--max-response-headers',
        bytes: head('GET / HTTP/1.1'),
        answer: 'HTTP/1.1 200 OK\r\na: 1\r\nb: 2\r\nc: 3\r\nContent-Length: 0\r\n\r\n',
        status: 502,
      },
    ]) {
      it(`${flag}: ${status}`, async () => {
        upstream.answer(answer)
        expect(await answerTo(bytes)).to.match(new RegExp(`^HTTP/1\\.1 ${status} `))
      })
    }

    it('--response-timeout: 504, --body-timeout: 408, --header-timeout: 408', async () => {
      upstream.answerWith(() => undefined)
      const asked = [head('GET / HTTP/1.1'), head('POST / HTTP/1.1', 'Content-Length: 9'), 'GET / HTTP/1.1\r\nHost:']
      const answers = await Promise.all(asked.map((bytes) => answerTo(bytes, hastyPort)))
      expect(answers.map((text) => text.slice(0, 'HTTP/1.1 504'.length))).to.deep.equal([
        'HTTP/1.1 504',
        'HTTP/1.1 408',
        'HTTP/1.1 408',
      ])
    })

    it('--keepalive-requests: the second answer says that it is the last', async () => {
      upstream.answer(OK)
      const client = await openClient(port)
      await client.write(head('GET / HTTP/1.1')).until('ok')
      expect(client.text).to.not.match(/connection: close/i)
      expect(await client.write(head('GET / HTTP/1.1')).untilEnd()).to.match(/Connection: close/)
    })
  })
}
