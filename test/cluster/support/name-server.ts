// A small DNS server (RFC 1035) at the address that /etc/resolv.conf of the namespace names.
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { isIP } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export type Zone =
  /** Addresses of both families; none: the name exists and has no address. */
  | { readonly addresses: readonly string[]; readonly ttlSeconds: number; readonly delayMs?: number }
  | { readonly failure: 'SERVFAIL' | 'silence' }

const ADDRESS = '10.96.0.10'
const HEADER_BYTES = 12
const RESPONSE_FLAGS = 0x8180
const SERVFAIL = 2
const NXDOMAIN = 3
const POINTER_TO_QUESTION = 0xc00c
const CLASS_IN = 1
const TYPES = new Map([
  [1, 4],
  [28, 6],
])

interface Question {
  readonly name: string
  readonly type: number
  /** Name, type and class as they came. */
  readonly bytes: Buffer
}

export class NameServer {
  readonly #socket: Socket = createSocket('udp4')
  readonly #zones = new Map<string, () => Zone>()
  readonly #asked = new Map<string, number>()
  #isStopped = false

  static async start(): Promise<NameServer> {
    const server = new NameServer()
    await new Promise<void>((resolve, reject) => {
      server.#socket.once('error', reject).bind(53, ADDRESS, resolve)
    })
    return server
  }

  private constructor() {
    this.#socket.on('message', (message, from) => void this.#answer(message, from))
  }

  /** What `name` is from now on; a function is called for every question. A name that was never set does not exist. */
  set(name: string, zone: Zone | (() => Zone)): void {
    this.#zones.set(name, typeof zone === 'function' ? zone : () => zone)
  }

  /** Questions for the IPv4 addresses of `name`. */
  asked(name: string): number {
    return this.#asked.get(name) ?? 0
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await new Promise<void>((resolve) => this.#socket.close(resolve))
  }

  async #answer(message: Buffer, { port, address }: RemoteInfo): Promise<void> {
    const question = questionOf(message)
    if (TYPES.get(question.type) === 4) this.#asked.set(question.name, this.asked(question.name) + 1)
    const zone = this.#zones.get(question.name)?.()
    if (zone && 'failure' in zone && zone.failure === 'silence') return
    if (zone && 'delayMs' in zone && zone.delayMs) await sleep(zone.delayMs)
    if (this.#isStopped) return
    this.#socket.send(responseTo(message, question, zone), port, address)
  }
}

function questionOf(message: Buffer): Question {
  const labels: string[] = []
  let at = HEADER_BYTES
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
  }
  const type = message.readUInt16BE(at + 1)
  return { name: labels.join('.').toLowerCase(), type, bytes: message.subarray(HEADER_BYTES, at + 5) }
}

function responseTo(message: Buffer, { type, bytes }: Question, zone: Zone | undefined): Buffer {
  const failure = zone === undefined ? NXDOMAIN : 'failure' in zone ? SERVFAIL : 0
  const all = zone && 'addresses' in zone ? zone.addresses : []
  const ttlSeconds = zone && 'addresses' in zone ? zone.ttlSeconds : 0
  const records = all
    .filter((address) => isIP(address) === TYPES.get(type))
    .map((address) => recordOf(address, type, ttlSeconds))
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt16BE(message.readUInt16BE(0), 0)
  header.writeUInt16BE(RESPONSE_FLAGS | failure, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(records.length, 6)
  return Buffer.concat([header, bytes, ...records])
}

function recordOf(address: string, type: number, ttlSeconds: number): Buffer {
  const data = bytesOf(address)
  const head = Buffer.alloc(12)
  head.writeUInt16BE(POINTER_TO_QUESTION, 0)
  head.writeUInt16BE(type, 2)
  head.writeUInt16BE(CLASS_IN, 4)
  head.writeUInt32BE(ttlSeconds, 6)
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}

function bytesOf(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number))
  const [head = '', tail = ''] = address.split('::')
  const [before, after] = [groupsOf(head), groupsOf(tail)]
  const gap = Array.from({ length: 8 - before.length - after.length }, () => '0')
  const all = [...before, ...gap, ...after]
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex')
}

function groupsOf(text: string): string[] {
  return text === '' ? [] : text.split(':')
}
