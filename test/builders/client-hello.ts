// What a TLS client sends first: made by Node's own client, or byte for byte.
import { Duplex } from 'node:stream'
import { connect } from 'node:tls'

/** A ClientHello in one record, with these extensions as bytes; `undefined`: it ends before them. */
export function helloWith(extensions: string | undefined, behind: string = ''): string {
  const list = extensions === undefined ? '' : word(extensions.length) + extensions
  const body = `\x03\x03${'r'.repeat(32)}\0\0\x02\x13\x01\x01\0${list}${behind}`
  const message = `\x01\0${word(body.length)}${body}`
  return `\x16\x03\x01${word(message.length)}${message}`
}

function word(value: number): string {
  return String.fromCharCode(value >> 8, value & 0xff)
}

export function spreadOver(message: Uint8Array, size: number): Uint8Array {
  const bytes: number[] = []
  for (let at = 0; at < message.length; at += size) {
    const part = message.subarray(at, at + size)
    bytes.push(22, 3, 1, 0, part.length, ...part)
  }
  return Uint8Array.from(bytes)
}

export interface HelloOptions {
  readonly servername?: string
  readonly ALPNProtocols?: string[]
  /** A short list makes a short ClientHello. */
  readonly ecdhCurve?: string
}

/** The first bytes of Node's own TLS client. */
export function helloOf(options: HelloOptions): Promise<Uint8Array> {
  return new Promise((resolve) => {
    const wire = new Duplex({
      read: () => undefined,
      write(chunk: Buffer, _encoding, callback) {
        resolve(Uint8Array.from(chunk))
        callback()
      },
    })
    const socket = connect({ socket: wire, ...options })
    socket.on('error', () => undefined)
  })
}

/** `hello`, which has no server name, with this one: what no client would send included. */
export function namedHello(hello: Uint8Array, name: string): Buffer {
  const bytes = Buffer.from(hello)
  const entry = `\0${word(name.length)}${name}`
  const body = word(entry.length) + entry
  const extension = Buffer.from(`\0\0${word(body.length)}${body}`, 'latin1')
  const extensionsAt = extensionsOf(bytes)
  bytes.writeUInt16BE(bytes.readUInt16BE(extensionsAt) + extension.length, extensionsAt)
  bytes.writeUIntBE(bytes.readUIntBE(6, 3) + extension.length, 6, 3)
  bytes.writeUInt16BE(bytes.readUInt16BE(3) + extension.length, 3)
  return Buffer.concat([bytes.subarray(0, extensionsAt + 2), extension, bytes.subarray(extensionsAt + 2)])
}

/** Where the length of the extensions stands: behind header, version, random, session, suites and compression. */
function extensionsOf(bytes: Buffer): number {
  const suitesAt = 44 + bytes.readUInt8(43)
  const compressionAt = suitesAt + 2 + bytes.readUInt16BE(suitesAt)
  return compressionAt + 1 + bytes.readUInt8(compressionAt)
}
