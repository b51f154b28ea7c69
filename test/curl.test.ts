// What a user sees: `curl -v` through either engine looks the same.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { listening } from './fakes/listening.ts'
import { RamjetProcess } from './process/ramjet-process.ts'

const ENGINES = [
  { name: 'wire on handle', flags: ['--engine=wire', '--transport=handle'] },
  { name: 'wire on public', flags: ['--engine=wire', '--transport=public'] },
  { name: 'standard', flags: ['--engine=standard'] },
]

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
  { what: 'nothing there', args: ['/204'], shows: '< HTTP/1.1 204 No Content' },
  { what: 'a host that nobody serves', args: ['-H', 'Host: other.example', '/'], shows: '< HTTP/1.1 404 Not Found' },
  { what: 'a path that is none', args: ['--path-as-is', '/a%00b'], shows: '< HTTP/1.1 400 Bad Request' },
  { what: 'a method that is not served', args: ['-X', 'TRACE', '/'], shows: '< HTTP/1.1 405 Method Not Allowed' },
  { what: 'an endpoint that is not there', args: ['/dead'], shows: '< HTTP/1.1 502 Bad Gateway' },
]

describe('curl -v', () => {
  const folder = mkdtempSync(join(tmpdir(), 'curl-'))
  const shown = new Map<string, Map<string, string>>()
  let origin: Server

  before('ask every engine for everything', async function () {
    this.timeout(60_000)
    origin = createServer((request, response) => answer(request.url ?? '', request, response))
    const file = join(folder, 'routes.yaml')
    writeFileSync(file, routes(await listening(origin)))
    for (const { name, flags } of ENGINES) {
      const place = [`--static-routes=${file}`, '--http=127.0.0.1:0', '--no-admin', '--workers=1', '--shutdown-delay=0']
      const ramjet = new RamjetProcess([...place, ...flags])
      try {
        const [address] = (await ramjet.logged('ramjet'))['http'] as readonly string[]
        const texts = new Map<string, string>()
        for (const { what, args } of ASKED) texts.set(what, await curl(address ?? '', args))
        shown.set(name, texts)
      } finally {
        ramjet.signal('SIGTERM')
        await ramjet.ended
      }
    }
  })

  after('stop the origin', () => {
    origin.close()
    rmSync(folder, { recursive: true })
  })

  for (const { what, shows } of ASKED) {
    it(`shows ${what} alike through every engine`, () => {
      const [first = '', ...others] = ENGINES.map(({ name }) => shown.get(name)?.get(what))
      expect(first).to.include(shows)
      for (const other of others) expect(other).to.equal(first)
    })
  }
})

function answer(url: string, request: NodeJS.ReadableStream, response: import('node:http').ServerResponse): void {
  response.sendDate = false
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
    default:
      request.pipe(response)
  }
}

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
function curl(address: string, args: readonly string[]): Promise<string> {
  const path = args.at(-1) ?? ''
  const host = args.some((word) => word.startsWith('Host:')) ? [] : ['-H', 'Host: shop.example']
  const words = ['-sv', '--max-time', '20', ...host, ...args.slice(0, -1), `http://${address}${path}`]
  return new Promise((resolve) => {
    execFile('curl', words, (_error, stdout, stderr) => resolve(normal(`${stderr}\n${stdout}`)))
  })
}

function normal(text: string): string {
  return text
    .replaceAll('\r', '')
    .replaceAll(/127\.0\.0\.1:\d+/g, 'ADDRESS')
    .replaceAll(/port \d+/g, 'port PORT')
    .replaceAll(/^(< )?Date: .*$/gm, '$1Date: NOW')
    .split('\n')
    .filter((line) => !line.startsWith('{ [') && !line.startsWith('} ['))
    .join('\n')
}
