// TLS Secrets, and handshakes that say which of them serves.
import { X509Certificate } from 'node:crypto'
import { connect, type TLSSocket } from 'node:tls'
import type { KubeObject } from '../../../hack/cluster/kube-client.ts'
import type { KeyPair } from '../../fakes/certificates.ts'
import { HTTPS_PORT, type Ramjet } from './ramjet.ts'

/** A Secret of the type kubernetes.io/tls, or of another. */
export function tlsSecret(
  namespace: string,
  name: string,
  { cert, key }: KeyPair,
  type: string = 'kubernetes.io/tls',
): KubeObject {
  const stringData = { 'tls.crt': cert, 'tls.key': key }
  return { apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name }, type, stringData }
}

/** What identifies the certificate of a pair in a handshake. */
export function fingerprintOf({ cert }: Pick<KeyPair, 'cert'>): string {
  return new X509Certificate(cert).fingerprint256
}

/** The fingerprint of the certificate that a client gets for `servername`, or `refused` and the alert. */
export function handshake(ramjet: Ramjet, servername: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: ramjet.address, port: HTTPS_PORT, servername, rejectUnauthorized: false })
    socket.setTimeout(20_000, () => socket.destroy(new Error('no handshake within 20 s')))
    socket.once('secureConnect', () => {
      resolve(socket.getPeerCertificate().fingerprint256)
      socket.destroy()
    })
    socket.once('error', (error) => {
      const code = 'code' in error ? String(error.code) : ''
      if (code.includes('UNRECOGNIZED_NAME')) resolve('refused')
      else reject(error)
    })
  })
}

/** The session of a TLS 1.2 handshake, with its ticket. */
export async function sessionOf(ramjet: Ramjet, servername: string): Promise<Buffer> {
  const socket = await connected(ramjet, servername)
  const session = socket.getSession()
  socket.destroy()
  if (!session) throw new Error('a handshake that is done has a session')
  return session
}

/** Whether `ramjet` resumes a session that it or another one made. */
export async function resumes(ramjet: Ramjet, servername: string, session: Buffer): Promise<boolean> {
  const socket = await connected(ramjet, servername, session)
  const isReused = socket.isSessionReused()
  socket.destroy()
  return isReused
}

function connected({ address: host }: Ramjet, servername: string, session?: Buffer): Promise<TLSSocket> {
  const version = { maxVersion: 'TLSv1.2', rejectUnauthorized: false } as const
  return new Promise((resolve, reject) => {
    const socket = connect({ ...version, host, port: HTTPS_PORT, servername, ...(session ? { session } : {}) })
    socket.once('error', reject)
    socket.once('secureConnect', () => resolve(socket))
  })
}
