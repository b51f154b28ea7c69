// The server side of a WebSocket that sends every message back with the pod's name in front (RFC 6455).
import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

interface Upgrade {
  readonly request: IncomingMessage
  readonly socket: Duplex
  readonly head: Buffer
}

interface Frame {
  readonly opcode: number
  readonly payload: Buffer
  /** Bytes that the frame took. */
  readonly size: number
}

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
const TEXT = 1
const CLOSE = 8
const PING = 9
const PONG = 10

/** Accepts the upgrade and echoes until either side closes. Messages of one frame below 64 KiB are all it knows. */
export function echoFrames(pod: string, { request, socket, head }: Upgrade): void {
  const key = request.headers['sec-websocket-key'] ?? ''
  const accept = createHash('sha1').update(`${key}${GUID}`).digest('base64')
  const lines = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade']
  socket.write(`${[...lines, `Sec-WebSocket-Accept: ${accept}`, `X-Pod: ${pod}`].join('\r\n')}\r\n\r\n`)
  let rest = head
  const read = (chunk: Buffer): void => {
    rest = Buffer.concat([rest, chunk])
    for (let frame = firstFrame(rest); frame; frame = firstFrame(rest)) {
      rest = rest.subarray(frame.size)
      reply(pod, socket, frame)
    }
  }
  socket.on('error', () => socket.destroy())
  socket.on('data', read)
  read(Buffer.alloc(0))
}

function reply(pod: string, socket: Duplex, { opcode, payload }: Frame): void {
  if (opcode === TEXT) socket.write(frameOf(TEXT, Buffer.from(`${pod}: ${payload.toString()}`)))
  else if (opcode === PING) socket.write(frameOf(PONG, payload))
  else if (opcode === CLOSE) socket.end(frameOf(CLOSE, payload))
}

/** The first whole frame of `bytes`, unmasked; `undefined` while it is not there yet. */
function firstFrame(bytes: Buffer): Frame | undefined {
  if (bytes.length < 2) return undefined
  const opcode = bytes.readUInt8(0) & 0x0f
  const short = bytes.readUInt8(1) & 0x7f
  const long = short === 126
  if (long && bytes.length < 4) return undefined
  const length = long ? bytes.readUInt16BE(2) : short
  const maskAt = long ? 4 : 2
  const size = maskAt + 4 + length
  if (bytes.length < size) return undefined
  const mask = bytes.subarray(maskAt, maskAt + 4)
  const payload = Buffer.from(bytes.subarray(maskAt + 4, size))
  for (let index = 0; index < length; index += 1) payload[index] = (payload[index] ?? 0) ^ (mask[index % 4] ?? 0)
  return { opcode, payload, size }
}

/** Servers send their frames whole and without a mask. */
function frameOf(opcode: number, payload: Buffer): Buffer {
  const head = payload.length < 126 ? Buffer.alloc(2) : Buffer.alloc(4)
  head.writeUInt8(0x80 | opcode, 0)
  head.writeUInt8(Math.min(payload.length, 126), 1)
  if (payload.length >= 126) head.writeUInt16BE(payload.length, 2)
  return Buffer.concat([head, payload])
}
