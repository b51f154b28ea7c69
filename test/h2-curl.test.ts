// HTTP/2 as curl speaks it: by prior knowledge and by ALPN, through the program; and what a drain makes of it.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { connect } from 'node:http2'
import { join } from 'node:path'
import { expect } from 'chai'
import { makeCertificate } from './fakes/certificates.ts'
import { listening } from './fakes/listening.ts'
import { temporaryFolder } from './fakes/temporary-folder.ts'
import { RamjetProcess } from './process/ramjet-process.ts'

const BODY = 'x'.repeat(300_000)

for (const engine of ['wire', 'standard']) {
  describe(`curl by HTTP/2 through ${engine}`, function () {
    this.timeout(60_000)
    const folder = temporaryFolder('h2-curl')
    let origin: Server
    let ramjet: RamjetProcess
    let plain = ''
    let secure = ''
    before(async () => {
      origin = createServer((request, response) => {
        if (request.url === '/never') return
        response.setHeader('X-Proto', String(request.headers['x-forwarded-proto']))
        if (request.method === 'GET') response.end(BODY)
        else request.pipe(response)
      })
      const { cert, key } = makeCertificate(['shop.example'])
      writeFileSync(join(folder, 'cert.pem'), cert)
      writeFileSync(join(folder, 'key.pem'), key, { mode: 0o600 })
      const backends = `backends:\n  - {name: web, endpoints: ['127.0.0.1:${await listening(origin)}']}\n`
      const tls = 'tls:\n  - {cert: cert.pem, key: key.pem}\n'
      writeFileSync(join(folder, 'routes.yaml'), `defaultBackend: web\n${backends}${tls}`)
      const place = [`--static-routes=${join(folder, 'routes.yaml')}`, '--http=127.0.0.1:0', '--https=127.0.0.1:0']
      const grace = ['--shutdown-delay=0', '--shutdown-grace=500ms']
      ramjet = new RamjetProcess([...place, ...grace, '--no-admin', '--workers=1', `--engine=${engine}`])
      const banner = await ramjet.logged('ramjet')
      plain = `http://${String(banner['http'])}`
      secure = `https://${String(banner['https'])}`
    })
    after(async () => {
      await ramjet.kill()
      origin.close()
      origin.closeAllConnections()
    })

    it('pages, uploads and heads, in plaintext and in TLS', async () => {
      for (const [words, url, scheme] of [
        [['--http2-prior-knowledge'], plain, 'http'],
        [['--http2', '-k'], secure, 'https'],
      ] as const) {
        const page = await curl([...words, '-i', `${url}/page`])
        expect(page).to.match(/^HTTP\/2 200 \r\n/)
        expect(page).to.include(`\r\nx-proto: ${scheme}\r\n`)
        expect(page.endsWith(BODY)).to.equal(true)
        const file = join(folder, 'upload')
        writeFileSync(file, BODY)
        expect(await curl([...words, '--data-binary', `@${file}`, `${url}/`])).to.equal(BODY)
        expect(await curl([...words, '-T', '-', `${url}/`], 'piped')).to.equal('piped')
        expect(await curl([...words, '-I', `${url}/page`])).to.match(/^HTTP\/2 200 \r\n/)
      }
    })

    it('HTTP/1.1 is still to be had on the same ports', async () => {
      expect(await curl(['--http1.1', '-I', `${plain}/page`])).to.match(/^HTTP\/1\.1 200 OK\r\n/)
      expect(await curl(['--http1.1', '-k', '-I', `${secure}/page`])).to.match(/^HTTP\/1\.1 200 OK\r\n/)
    })

    it('R20-169: a drain tells how many streams were cut when its grace is over', async () => {
      const session = connect(plain)
      session.on('error', () => undefined)
      const stream = session.request({ ':path': '/never' })
      stream.on('error', () => undefined)
      await once(origin, 'request')
      const goaway = once(session, 'goaway')
      ramjet.signal('SIGTERM')
      expect((await goaway)[0]).to.equal(0)
      expect(await ramjet.ended).to.equal(0)
      const line = ramjet.lines().find(({ message }) => message === 'shutdown grace period expired')
      expect(line).to.include({ requests: 0, streams: 1, tunnels: 0 })
      session.destroy()
    })
  })
}

function curl(args: readonly string[], input = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile('curl', ['-sS', ...args], { maxBuffer: 10_000_000 }, (error, stdout, stderr) => {
      if (error) reject(new Error(stderr))
      else resolve(stdout)
    })
    child.stdin?.end(input)
  })
}
