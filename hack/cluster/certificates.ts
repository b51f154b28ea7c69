// The key material of the test cluster: made by openssl, kept for a week in the cache, worth nothing anywhere else.
import { spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder } from '../cache-folder.ts'
import { Unavailable } from '../unavailable.ts'

/** Who may be a client: the file's name, then common name (user) and organisation (group) of its certificate. */
const CLIENTS = [
  { file: 'admin', user: 'admin', group: 'system:masters' },
  { file: 'viewer', user: 'ramjet-test-viewer', group: 'ramjet-test' },
] as const

export type ClientName = (typeof CLIENTS)[number]['file']

const WEEK_DAYS = 7
const DAY_MS = 24 * 60 * 60 * 1000
// Certificates outlive the folder by a day, so that none ends under a cluster that was started from an old one.
const VALID_DAYS = WEEK_DAYS + 1
const SERVER_NAMES = ['DNS:localhost', 'DNS:kubernetes.default.svc', 'IP:127.0.0.1', 'IP:10.244.0.1', 'IP:10.96.0.1']

/**
 * The folder with `server-ca.crt`, `server.crt`, `server.key`, `client-ca.crt`, `admin.crt`, `admin.key`,
 * `viewer.crt`, `viewer.key` and `service-account.key`; made anew once it is a week old. The name of the folder holds
 * the day, so an older one is left to whoever still runs on it until the next week clears it away.
 */
export function certificateFolder(now: number = Date.now()): string {
  const root = cacheFolder('pki')
  const week = Math.floor(now / (WEEK_DAYS * DAY_MS))
  const folder = join(root, `week-${week}`)
  if (existsSync(folder)) return folder
  const made = mkdtempSync(`${folder}-`)
  makeAll(made)
  if (existsSync(folder)) rmSync(made, { recursive: true })
  else renameSync(made, folder)
  clearOld(root, now)
  return folder
}

function clearOld(root: string, now: number): void {
  for (const name of readdirSync(root)) {
    const folder = join(root, name)
    if (now - statSync(folder).mtimeMs > 2 * WEEK_DAYS * DAY_MS) rmSync(folder, { recursive: true, force: true })
  }
}

function makeAll(folder: string): void {
  makeAuthority(folder, 'server-ca')
  makeAuthority(folder, 'client-ca')
  const names = `subjectAltName=${SERVER_NAMES.join(',')}`
  makeCertificate(folder, 'server', {
    authority: 'server-ca',
    subject: '/CN=kube-apiserver',
    extensions: `${names}\nextendedKeyUsage=serverAuth\n`,
  })
  for (const { file, user, group } of CLIENTS) {
    const subject = `/O=${group}/CN=${user}`
    makeCertificate(folder, file, { authority: 'client-ca', subject, extensions: 'extendedKeyUsage=clientAuth\n' })
  }
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  writeKey(join(folder, 'service-account.key'), privateKey.export({ type: 'pkcs1', format: 'pem' }))
}

function makeAuthority(folder: string, name: string): void {
  makeKey(folder, name)
  const validity = ['-days', String(VALID_DAYS)]
  openssl(folder, [
    'req',
    '-x509',
    '-new',
    '-key',
    `${name}.key`,
    ...validity,
    '-subj',
    `/CN=${name}`,
    '-out',
    `${name}.crt`,
  ])
}

interface CertificateRequest {
  readonly authority: string
  readonly subject: string
  readonly extensions: string
}

function makeCertificate(folder: string, name: string, request: CertificateRequest): void {
  const { authority, subject, extensions } = request
  makeKey(folder, name)
  writeFileSync(join(folder, `${name}.ext`), extensions)
  openssl(folder, ['req', '-new', '-key', `${name}.key`, '-subj', subject, '-out', `${name}.csr`])
  const signer = ['-CA', `${authority}.crt`, '-CAkey', `${authority}.key`, '-CAcreateserial']
  const validity = ['-days', String(VALID_DAYS), '-extfile', `${name}.ext`]
  openssl(folder, ['x509', '-req', '-in', `${name}.csr`, ...signer, ...validity, '-out', `${name}.crt`])
}

function makeKey(folder: string, name: string): void {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  writeKey(join(folder, `${name}.key`), privateKey.export({ type: 'pkcs8', format: 'pem' }))
}

function writeKey(file: string, pem: string | Buffer): void {
  writeFileSync(file, pem, { mode: 0o600 })
}

function openssl(folder: string, args: readonly string[]): void {
  const { status, stderr, error } = spawnSync('openssl', args, { cwd: folder, encoding: 'utf8' })
  if (error) throw new Unavailable('the test cluster needs openssl for its certificates: install openssl')
  if (status !== 0) throw new Error(`openssl ${args[0]}: ${stderr}`)
}
