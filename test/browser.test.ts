// What a browser does with 421 (R22-7): it asks on the connection of another host, as HTTP/2 lets it where one
// certificate covers both, and once more on a connection of its own. The page is whole.
import { execFile } from 'node:child_process'
import { createHash, X509Certificate } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { type KeyPair, makeCertificate } from './fakes/certificates.ts'
import { listening } from './fakes/listening.ts'
import { RamjetProcess } from './process/ramjet-process.ts'

const BROWSER = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((file) => existsSync(file))
const WWW = 'www.shop.example'
const IMAGES = 'images.shop.example'
/** Without them the browser calls home, or wants a sandbox that root does not get. */
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--timeout=45000',
  '--host-resolver-rules=MAP *.shop.example 127.0.0.1',
]

if (BROWSER === undefined && process.env['CI'] !== 'true') {
  process.stdout.write('no browser, no test of what one does with 421: install chromium-headless-shell\n')
} else {
  describe('421 in a browser', function () {
    this.timeout(120_000)
    let folder = ''
    let origin: Server
    let ramjet: RamjetProcess | undefined

    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), 'browser-'))
      origin = createServer(answer)
      await listening(origin)
    })
    afterEach(async () => {
      await ramjet?.kill()
      origin.close()
      // The browser's own children may still write their last into its profile.
      rmSync(folder, { recursive: true, maxRetries: 20 })
    })

    it('is followed by the same request on a connection of its own', async () => {
      // The first covers both hosts, but the second host has a certificate of its own.
      const pairs = [makeCertificate([WWW, IMAGES]), makeCertificate([IMAGES])]
      const routes = writeRoutes(folder, origin, pairs)
      const flags = ['--https=127.0.0.1:0', '--no-http', '--admin=127.0.0.1:0', '--workers=1']
      ramjet = new RamjetProcess([`--static-routes=${routes}`, ...flags])
      const banner = await ramjet.logged('ramjet')
      const [https = ''] = banner['https'] as string[]

      const page = await openInBrowser(`https://${WWW}:${https.split(':').at(-1)}/`, folder, pairs)

      expect(page).to.include('<title>whole</title>')
      const metrics = await (await fetch(new URL('/metrics', String(banner['admin'])))).text()
      expect(metrics).to.match(/^ramjet_responses_total\{class="4xx"\} 1$/m)
      expect(metrics).to.match(/^ramjet_responses_total\{class="2xx"\} 2$/m)
      expect(metrics).to.match(/^ramjet_dispatch_total\{lane="h2"\} 2$/m)
    })
  })
}

/** A page with a script of the other host, and that script. */
function answer({ headers }: IncomingMessage, response: ServerResponse): void {
  const [host, port] = (headers.host ?? '').split(':')
  const isPage = host === WWW
  response.setHeader('content-type', isPage ? 'text/html' : 'text/javascript')
  response.end(
    isPage
      ? `<link rel=icon href="data:,"><title>broken</title><script src="https://${IMAGES}:${port}/mark.js"></script>`
      : "document.title = 'whole'",
  )
}

/** The path of a routes file: everything goes to `origin`, by these certificates. */
function writeRoutes(folder: string, origin: Server, pairs: readonly KeyPair[]): string {
  const address = origin.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const tls = pairs.map(({ cert, key }, index) => {
    writeFileSync(join(folder, `${index}.crt`), cert)
    writeFileSync(join(folder, `${index}.key`), key)
    return `  - {host: ${index === 0 ? WWW : IMAGES}, cert: ${index}.crt, key: ${index}.key}`
  })
  const lines = [
    'backends:',
    '  - name: web',
    `    endpoints: [127.0.0.1:${port}]`,
    'routes:',
    '  - {path: /, backend: web}',
    'tls:',
  ]
  const file = join(folder, 'routes.yaml')
  writeFileSync(file, [...lines, ...tls, ''].join('\n'))
  return file
}

/** The document as it stands when everything is loaded. The certificates are believed as if an authority had signed. */
async function openInBrowser(url: string, folder: string, pairs: readonly KeyPair[]): Promise<string> {
  const believed = `--ignore-certificate-errors-spki-list=${pairs.map(keyHash).join(',')}`
  const own = [`--user-data-dir=${join(folder, 'profile')}`, believed, '--dump-dom', url]
  const { stdout } = await promisify(execFile)(BROWSER ?? 'chromium-headless-shell', [...FLAGS, ...own])
  return stdout
}

function keyHash({ cert }: KeyPair): string {
  const key = new X509Certificate(cert).publicKey.export({ type: 'spki', format: 'der' })
  return createHash('sha256').update(key).digest('base64')
}
