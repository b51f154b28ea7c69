// h2spec 2.2.1 against the program (R22-15, R71-14). It needs no cluster, but Go, as what stands beside it.
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { expect } from 'chai'
import { requireH2spec } from '../../hack/h2spec/program.ts'
import { listening } from '../fakes/listening.ts'
import { temporaryFolder } from '../fakes/temporary-folder.ts'
import { RamjetProcess } from '../process/ramjet-process.ts'

const CASES = 145
/**
 * How long h2spec waits for what a case expects. What passes needs no such time, what fails needs all of it; a second is
 * too little for what takes hundreds of streams on a busy machine.
 */
const WAIT_SECONDS = 4

/**
 * What fails, by section and title, and why. All but the first are what nghttp2 does under `node:http2`, which no
 * JavaScript sees; bare Node 26 fails ten of 145 as well. The list may only get shorter.
 */
const KNOWN_FAILURES: ReadonlyMap<string, string> = new Map([
  [
    '3.5 Sends invalid connection preface',
    'it is no HTTP/2 for us: the answer is that of HTTP/1.1, and then the close',
  ],
  ['5.1 closed: Sends a DATA frame after sending RST_STREAM frame', 'frames of a stream that was reset are ignored'],
  ['5.1 closed: Sends a HEADERS frame after sending RST_STREAM frame', 'frames of a stream that was reset are ignored'],
  ['5.1 closed: Sends a DATA frame', 'frames of a stream that has ended are ignored'],
  ['5.1 closed: Sends a HEADERS frame', 'frames of a stream that has ended are ignored'],
  ['5.1.1 Sends stream identifier that is numerically smaller than previous', 'it counts as a stream that has ended'],
  ['5.3.1 Sends PRIORITY frame that depend on itself', 'PRIORITY is not read (RFC 9113, section 5.3.2)'],
  ['6.3 Sends a PRIORITY frame with 0x0 stream identifier', 'PRIORITY is not read'],
  ['6.7 Sends a PING frame with ACK', 'Node ends a session for an ACK of a PING that it never sent'],
  [
    '6.9.1 Sends multiple WINDOW_UPDATE frames increasing the flow control window to above 2^31-1 on a stream',
    'it ends the session, not the stream',
  ],
])

const ENGINES: readonly { readonly engine: string; readonly flags: readonly string[] }[] = [
  { engine: 'wire', flags: ['--engine=wire'] },
  { engine: 'standard', flags: ['--engine=standard'] },
]

describe('h2spec', function () {
  this.timeout(240_000)
  const folder = temporaryFolder('h2spec')
  let origin: Server
  beforeEach(async () => {
    origin = createServer((request, response) => request.resume().on('end', () => response.end('0123456789abcdef')))
    const routes = `defaultBackend: web\nbackends:\n  - {name: web, endpoints: ['127.0.0.1:${await listening(origin)}']}\n`
    writeFileSync(join(folder, 'routes.yaml'), routes)
  })
  afterEach(() => origin.close())

  for (const { engine, flags } of ENGINES) {
    it(`passes but for what is known, on ${engine} (R22-15)`, async () => {
      const ramjet = new RamjetProcess([
        `--static-routes=${join(folder, 'routes.yaml')}`,
        '--http=127.0.0.1:0',
        '--no-https',
        '--no-admin',
        '--workers=1',
        '--shutdown-delay=0',
        ...flags,
      ])
      try {
        const { http } = await ramjet.logged('ramjet')
        const results = await runH2spec(String(http).split(':').at(-1) ?? '', join(folder, `${engine}.xml`))
        expect(results.length).to.equal(CASES)
        const failed = results.filter(({ isPassed }) => !isPassed).map(({ name }) => name)
        expect(failed).to.have.members([...KNOWN_FAILURES.keys()])
      } finally {
        ramjet.signal('SIGTERM')
        await ramjet.ended
      }
    })
  }
})

interface Result {
  readonly name: string
  readonly isPassed: boolean
}

/** Its exit code says only that something failed. */
function runH2spec(port: string, report: string): Promise<readonly Result[]> {
  const args = ['-h', '127.0.0.1', '-p', port, '-o', String(WAIT_SECONDS), '-j', report]
  return new Promise((resolve) => {
    execFile(requireH2spec(), args, () => resolve(resultsIn(readFileSync(report, 'utf8'))))
  })
}

function resultsIn(report: string): readonly Result[] {
  const cases = report.matchAll(/<testcase package="(?<section>[^"]*)" classname="(?<title>[^"]*)"[^>]*>(?<rest>.*)/g)
  return [...cases].map(({ groups }) => ({
    name: `${groups?.['section']?.split('/').at(-1)} ${groups?.['title']}`,
    isPassed: groups?.['rest']?.startsWith('</testcase>') === true,
  }))
}
