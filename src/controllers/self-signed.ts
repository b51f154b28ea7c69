// The certificate that this process makes for itself (R21-9, `--self-signed-default`). node:crypto reads certificates and
// makes none; what it lacks is a page of DER, and a package for it would bring a dozen others.
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import {
  asciiBytes,
  bitString,
  type Der,
  inContext,
  integer,
  objectId,
  octetString,
  sequence,
  setOf,
  time,
  truth,
  utf8String,
} from '../lib/der.ts'
import { digestOf } from '../lib/digest.ts'
import type { Certificate } from '../model/certificate-table.ts'
import { readCertificate } from '../model/read-certificate.ts'

/** No name that a client can ask for: it stands in for all that have none. */
const NAME = 'default.ramjet.invalid'
const VALID_MS = 365 * 24 * 3_600_000
/** Clocks of clients may be behind. */
const EARLIER_MS = 24 * 3_600_000

const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2'
const COMMON_NAME = '2.5.4.3'
const [KEY_USAGE, ALTERNATIVE_NAMES, CONSTRAINTS, EXTENDED_USAGE] = ['2.5.29.15', '2.5.29.17', '2.5.29.19', '2.5.29.37']
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1'

/**
 * A certificate with a key of its own, valid for a year from `nowMs` on. Its handle is the same in every process, as
 * one process has one: replicas that differ in nothing else give their configurations one digest.
 */
export function makeSelfSigned(nowMs: number): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const chain = pem(signed(toBeSigned(publicKey, nowMs), privateKey))
  const read = readCertificate(chain, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  if (!read.ok) throw new Error(`the certificate that was made ${read.error}`)
  const handle = digestOf('the certificate that a process made')
  return { ...read.value, handle, digest: handle }
}

function toBeSigned(publicKey: KeyObject, nowMs: number): Der {
  const name = sequence(setOf(sequence(objectId(COMMON_NAME), utf8String(NAME))))
  const extensions = sequence(
    critical(KEY_USAGE, bitString(Uint8Array.of(0x80), 7)),
    critical(CONSTRAINTS, sequence()),
    extension(EXTENDED_USAGE, sequence(objectId(SERVER_AUTH))),
    extension(ALTERNATIVE_NAMES, sequence(inContext(2, asciiBytes(NAME), true))),
  )
  return sequence(
    inContext(0, integer(Uint8Array.of(2))),
    // Positive and of full length, whatever the dice say.
    integer(Uint8Array.from([0x40, ...randomBytes(15)])),
    sequence(objectId(ECDSA_WITH_SHA256)),
    name,
    sequence(time(nowMs - EARLIER_MS), time(nowMs + VALID_MS)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    inContext(3, extensions),
  )
}

function signed(content: Der, key: KeyObject): Der {
  return sequence(content, sequence(objectId(ECDSA_WITH_SHA256)), bitString(sign('sha256', content, key)))
}

function extension(id: string, value: Der): Der {
  return sequence(objectId(id), octetString(value))
}

function critical(id: string, value: Der): Der {
  return sequence(objectId(id), truth(), octetString(value))
}

function pem(der: Der): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}
