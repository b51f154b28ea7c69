// `npm run testssl`: testssl.sh against the https listener of the product; nothing above LOW may be found but what concerns
// the authority of the test (R21-38). It takes one to four minutes, so it is a step of .ci/run and no part of `npm test`.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../hack/cluster/free-port.ts'
import { runScript, Unavailable } from '../../hack/unavailable.ts'
import { makeCertificate } from '../fakes/certificates.ts'
import { listening } from '../fakes/listening.ts'
import { RamjetProcess } from '../process/ramjet-process.ts'
import { countedFindings, readFindings } from './findings.ts'

const HOST = 'shop.example'
const PATIENCE_MS = 9 * 60_000

/** What any site should say of itself: testssl.sh looks at the answer of the backend as well. */
const SITE_FIELDS = {
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'Content-Security-Policy': "default-src 'self'",
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Permissions-Policy': 'geolocation=()',
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'testssl-'))
  const site = createServer((_request, response) => {
    response.writeHead(200, SITE_FIELDS)
    response.end('ok\n')
  })
  const port = await freePort()
  writeSite(folder, await listening(site))
  const ramjet = new RamjetProcess([
    `--static-routes=${join(folder, 'routes.yaml')}`,
    `--https=127.0.0.1:${port}`,
    '--no-http',
    '--no-admin',
    '--workers=1',
    '--shutdown-delay=0',
  ])
  try {
    await ramjet.logged('ramjet')
    report(await runTestssl(folder, port))
  } finally {
    await ramjet.kill()
    site.close()
    site.closeAllConnections()
    rmSync(folder, { recursive: true })
  }
}

/**
 * The certificate is valid for 90 days and says where its revocation is told. It is the default one too: for some checks
 * testssl.sh asks for no name.
 */
function writeSite(folder: string, sitePort: number): void {
  const issuer = makeCertificate(['ca.example'], {
    isAuthority: true,
    extensions: ['keyUsage=critical,keyCertSign,cRLSign'],
  })
  const { cert, key } = makeCertificate([HOST], {
    issuer,
    days: 90,
    extensions: [
      'keyUsage=critical,digitalSignature',
      'extendedKeyUsage=serverAuth',
      'crlDistributionPoints=URI:http://pki.example/ca.crl',
      'authorityInfoAccess=OCSP;URI:http://pki.example/ocsp',
    ],
  })
  writeFileSync(join(folder, 'cert.pem'), cert + issuer.cert)
  writeFileSync(join(folder, 'key.pem'), key, { mode: 0o600 })
  writeFileSync(
    join(folder, 'routes.yaml'),
    `backends: [{name: site, endpoints: ['127.0.0.1:${sitePort}']}]
routes: [{host: ${HOST}, path: /, backend: site}]
tls: [{host: ${HOST}, cert: cert.pem, key: key.pem}, {cert: cert.pem, key: key.pem}]
`,
  )
}

async function runTestssl(folder: string, port: number): Promise<string> {
  const file = join(folder, 'findings.json')
  const shape = ['--quiet', '--color', '0', '--warnings', 'off', '--jsonfile', file, '--ip', '127.0.0.1']
  const child = spawn('testssl', [...shape, `https://${HOST}:${port}`], { stdio: ['ignore', 'inherit', 'inherit'] })
  const timer = setTimeout(() => child.kill(), PATIENCE_MS)
  try {
    await once(child, 'close')
  } catch {
    throw new Unavailable('testssl.sh is not installed; on Debian: apt-get install testssl.sh dnsutils')
  } finally {
    clearTimeout(timer)
  }
  return readFileSync(file, 'utf8')
}

function report(text: string): void {
  const findings = readFindings(text)
  const counted = countedFindings(findings)
  for (const { severity, id, finding } of counted) process.stdout.write(`${severity} ${id}: ${finding}\n`)
  process.stdout.write(
    `testssl.sh: ${findings.length} entries, ${counted.length} above LOW that concern the listener\n`,
  )
  if (counted.length > 0) process.exitCode = 1
}

await runScript(main)
