// What a user sees: `curl -v` through either engine looks the same.
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { expect } from 'chai'
import { listening } from './fakes/listening.ts'
import { temporaryFolder } from './fakes/temporary-folder.ts'
import { RamjetProcess } from './process/ramjet-process.ts'

const ENGINES = [
  { name: 'wire on handle', flags: ['--engine=wire', '--transport=handle'] },
  { name: 'wire on public', flags: ['--engine=wire', '--transport=public'] },
  { name: 'standard', flags: ['--engine=standard'] },
]

const FILE_BYTES = 1_000_000
const FILE = 'upload'
const UPGRADE = ['-H', 'Connection: Upgrade', '-H', 'Upgrade: echo']
const CLAIMS = ['-H', 'X-Forwarded-For: 192.0.2.9', '-H', 'X_Team: 1', '-H', 'Forwarded: for=192.0.2.9']

/** A client that gave up by a FIN is answered all the same (R70-129), which is not to take a minute. */
const FLAGS = ['--shutdown-delay=0', '--response-timeout=2s', '--public-http-port=80']

/** Words of curl, and a part of what it must show. */
const ASKED: readonly { readonly what: string; readonly args: readonly string[]; readonly shows: string }[] = [
  { what: 'a page', args: ['/page'], shows: '< HTTP/1.1 200 OK' },
  { what: 'a head', args: ['-I', '/page'], shows: '< HTTP/1.1 200 OK' },
  { what: 'a page by HTTP/1.0', args: ['-0', '/page'], shows: '< HTTP/1.1 200 OK' },
  { what: 'an answer in chunks', args: ['/chunks'], shows: '< Transfer-Encoding: chunked' },
  { what: 'an answer in chunks by HTTP/1.0', args: ['-0', '/chunks'], shows: '< Connection: close' },
  { what: 'an upload', args: ['-d', 'x'.repeat(2000), '/echo'], shows: 'x'.repeat(2000) },
  {
    what: 'an upload that waits for 100',
    args: ['-H', 'Expect: 100-continue', '-d', 'hello', '/echo'],
    shows: '< HTTP/1.1 100 Continue',
  },
  { what: 'an upload in chunks', args: ['-H', 'Transfer-Encoding: chunked', '-d', 'hello', '/echo'], shows: 'hello' },
  { what: 'a file that is put', args: ['-T', FILE, '/length'], shows: '< HTTP/1.1 200 OK' },
  {
    what: 'a file that is put in chunks',
    args: ['-H', 'Transfer-Encoding: chunked', '-T', FILE, '/length'],
    shows: '> Transfer-Encoding: chunked',
  },
  { what: 'an upload of a megabyte', args: ['--data-binary', `@${FILE}`, '/length'], shows: String(FILE_BYTES) },
  {
    what: 'an upload that is refused instead of a 100',
    args: ['-H', 'Expect: 100-continue', '--data-binary', `@${FILE}`, '/refuses'],
    shows: '< HTTP/1.1 417 Expectation Failed',
  },
  { what: 'a head of chunks', args: ['-I', '/chunks'], shows: '< HTTP/1.1 200 OK' },
  { what: 'a head of nothing', args: ['-I', '-H', 'Host: other.example', '/'], shows: '< HTTP/1.1 404 Not Found' },
  { what: 'an early hint', args: ['/hint'], shows: '< HTTP/1.1 103 Early Hints' },
  { what: 'an answer that breaks off', args: ['/short'], shows: 'transfer closed' },
  { what: 'an answer in chunks that breaks off', args: ['/short-chunks'], shows: 'transfer closed' },
  { what: 'an answer that does not come', args: ['-m', '1', '/never'], shows: 'Operation timed out' },
  { what: 'two pages on one connection', args: ['/page', '/204'], shows: 'Re-using existing connection' },
  { what: 'a page with a trailer', args: ['-i', '/trailer'], shows: 'X-Sum: 1' },
  { what: 'a tunnel', args: ['-N', ...UPGRADE, '/tunnel'], shows: '< HTTP/1.1 101 Switching Protocols' },
  { what: 'a tunnel that is refused', args: [...UPGRADE, '/page'], shows: '< HTTP/1.1 200 OK' },
  { what: 'fields that are ours', args: [...CLAIMS, '/fields'], shows: '"x-real-ip":"127.0.0.1"' },
  { what: 'a head that is too large', args: ['-H', `X: ${'x'.repeat(70_000)}`, '/'], shows: '< HTTP/1.1 431' },
  { what: 'a target that is too long', args: [`/${'x'.repeat(17_000)}`], shows: '< HTTP/1.1 414 URI Too Long' },
  { what: 'nothing there', args: ['/204'], shows: '< HTTP/1.1 204 No Content' },
  { what: 'a host that nobody serves', args: ['-H', 'Host: other.example', '/'], shows: '< HTTP/1.1 404 Not Found' },
  { what: 'a path that is none', args: ['--path-as-is', '/a%00b'], shows: '< HTTP/1.1 400 Bad Request' },
  { what: 'a method that is not served', args: ['-X', 'TRACE', '/'], shows: '< HTTP/1.1 405 Method Not Allowed' },
  { what: 'an endpoint that is not there', args: ['/dead'], shows: '< HTTP/1.1 502 Bad Gateway' },
]

describe('curl -v', () => {
  const folder = temporaryFolder('curl', { [FILE]: 'x'.repeat(FILE_BYTES) })
  const metrics = new Map<string, string>()
  const shown = new Map<string, Map<string, string>>()
  let origin: Server

  before('ask every engine for everything', async function () {
    this.timeout(240_000)
    // Whether it closes a connection between two questions, which is counted, is not to be a matter of the machine.
    origin = createServer({ keepAliveTimeout: 300_000 }, (request, response) => answer(request, response))
    origin.on('checkExpectation', (request, response) => answer(request, response))
    origin.on('checkContinue', (request, response) => {
      if (request.url === '/refuses') response.writeHead(417).end('no\n')
      else {
        response.writeContinue()
        answer(request, response)
      }
    })
    origin.on('upgrade', (request, socket) => {
      if (request.url === '/tunnel') socket.end(`HTTP/1.1 101 Switching Protocols\r\n${SWITCHED}\r\n\r\nhello\n`)
      else socket.end('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello\n')
    })
    const file = join(folder, 'routes.yaml')
    writeFileSync(file, routes(await listening(origin)))
    for (const { name, flags } of ENGINES) {
      const place = [`--static-routes=${file}`, '--http=127.0.0.1:0', '--admin=127.0.0.1:0', '--workers=1', ...FLAGS]
      const ramjet = new RamjetProcess([...place, ...flags])
      try {
        const banner = await ramjet.logged('ramjet')
        const [address] = banner['http'] as readonly string[]
        const texts = new Map<string, string>()
        for (const { what, args } of ASKED) texts.set(what, await curl(address ?? '', args, folder))
        shown.set(name, texts)
        metrics.set(name, await settledMetrics(new URL(String(banner['admin'])).host))
      } finally {
        ramjet.signal('SIGTERM')
        await ramjet.ended
      }
    }
  })

  after('stop the origin', () => origin.close())

  for (const { what, shows } of ASKED) {
    it(`shows ${what} alike through every engine`, () => {
      const [first = '', ...others] = ENGINES.map(({ name }) => shown.get(name)?.get(what))
      expect(first).to.include(shows)
      for (const other of others) expect(other).to.equal(first)
    })
  }

  it('R20-181, R34-4: leaves the same metrics behind in every engine', () => {
    const [first = '', ...others] = ENGINES.map(({ name }) => metrics.get(name))
    expect(first).to.match(/^ramjet_responses_total\{class="2xx"\} [1-9]/m)
    expect(first).to.match(/^ramjet_request_duration_seconds_count [1-9]/m)
    for (const other of others) expect(other).to.equal(first)
  })
})

const SWITCHED = 'Connection: Upgrade\r\nUpgrade: echo'

function answer(request: IncomingMessage, response: ServerResponse): void {
  response.sendDate = false
  const { url = '' } = request
  switch (url) {
    case '/page':
      response.setHeader('Content-Type', 'text/plain')
      response.end('hello\n')
      break
    case '/chunks':
      response.write('one')
      response.end('two\n')
      break
    case '/204':
      response.writeHead(204).end()
      break
    case '/length':
      void buffer(request).then((body) => response.end(`${body.length}\n`))
      break
    case '/hint':
      response.writeEarlyHints({ link: '</a>; rel=preload' })
      response.end('hello\n')
      break
    case '/short':
      response.setHeader('Content-Length', '10')
      response.write('short', () => request.socket.destroy())
      break
    case '/short-chunks':
      response.write('short', () => request.socket.destroy())
      break
    case '/never':
      break
    case '/trailer':
      response.setHeader('Trailer', 'X-Sum')
      response.write('hello\n')
      response.addTrailers({ 'X-Sum': '1' })
      response.end()
      break
    case '/fields':
      response.end(`${JSON.stringify({ ...request.headers, 'x-request-id': 'fresh' })}\n`)
      break
    default:
      request.pipe(response)
  }
}

/** The metrics when nothing is in flight any more, without what was measured and not counted. */
async function settledMetrics(admin: string): Promise<string> {
  for (;;) {
    const response = await fetch(`http://${admin}/metrics`)
    const lines = (await response.text()).split('\n')
    if (lines.includes('ramjet_active_connections 0') && lines.includes('ramjet_tunnels 0')) {
      return lines.filter((line) => !MEASURED.test(line)).join('\n')
    }
  }
}

/** Of the process, or a duration, or a moment. */
const MEASURED = /^(?:#.*|process_.*|nodejs_.*|\w+_seconds(?:_sum|_bucket|\{| ).*)$/

function routes(port: number): string {
  return `backends:
  - {name: origin, endpoints: ['127.0.0.1:${port}']}
  - {name: dead, endpoints: ['127.0.0.1:1']}
routes:
  - {host: shop.example, path: /, backend: origin}
  - {host: shop.example, path: /dead, backend: dead}
`
}

/** All that curl shows, but for what differs between two times that it is asked. */
function curl(address: string, args: readonly string[], cwd: string): Promise<string> {
  const host = args.some((word) => word.startsWith('Host:')) ? [] : ['-H', 'Host: shop.example']
  const asked = args.map((word) => (word.startsWith('/') ? `http://${address}${word}` : word))
  // How long curl waits for a 100 until it sends the body all the same is not to be a matter of the machine.
  const words = ['-sv', '--max-time', '60', '--expect100-timeout', '30', ...host, ...asked]
  return new Promise((resolve) => {
    execFile('curl', words, { cwd }, (_error, stdout, stderr) => resolve(normal(`${stderr}\n${stdout}`)))
  })
}

function normal(text: string): string {
  return text
    .replaceAll('\r', '')
    .replaceAll(/127\.0\.0\.1:\d+/g, 'ADDRESS')
    .replaceAll(/port \d+/g, 'port PORT')
    .replaceAll(/\d+ milliseconds/g, 'MANY milliseconds')
    .replaceAll(/0x[\da-f]+/g, 'PLACE')
    .replaceAll(/^(< )?Date: .*$/gm, '$1Date: NOW')
    .split('\n')
    .filter((line) => !line.startsWith('{ [') && !line.startsWith('} ['))
    .join('\n')
}
