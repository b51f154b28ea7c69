// A service of gRPC whose messages are bytes as they are: what is tested is how they travel, not how they are written.
import {
  type handleBidiStreamingCall,
  type handleClientStreamingCall,
  type handleServerStreamingCall,
  type handleUnaryCall,
  Metadata,
  Server,
  ServerCredentials,
  type ServiceDefinition,
  status,
} from '@grpc/grpc-js'
import type { KeyPair } from '../fakes/certificates.ts'

const identity = (bytes: Buffer): Buffer => bytes
const BYTES = {
  requestSerialize: identity,
  requestDeserialize: identity,
  responseSerialize: identity,
  responseDeserialize: identity,
}

/** The paths and kinds of its methods. */
export const ECHO = {
  unary: { path: '/test.Echo/Unary', requestStream: false, responseStream: false, ...BYTES },
  collect: { path: '/test.Echo/Collect', requestStream: true, responseStream: false, ...BYTES },
  repeat: { path: '/test.Echo/Repeat', requestStream: false, responseStream: true, ...BYTES },
  chat: { path: '/test.Echo/Chat', requestStream: true, responseStream: true, ...BYTES },
  fail: { path: '/test.Echo/Fail', requestStream: false, responseStream: false, ...BYTES },
  wait: { path: '/test.Echo/Wait', requestStream: false, responseStream: false, ...BYTES },
} as const satisfies ServiceDefinition

/** What clients of large messages and servers of them must both be told. */
export const UNBOUNDED = { 'grpc.max_receive_message_length': -1, 'grpc.max_send_message_length': -1 }

/** What became of a call to `wait`. */
export interface Waited {
  /** When the client gives up, as the server understood it; `Infinity`: never. */
  readonly deadlineMs: number
  readonly cancelled: Promise<void>
}

/** The error that `fail` gives. */
export const FAILURE = { code: status.ABORTED, details: 'not today: caf\u00e9 100 %' }

export class EchoServer {
  readonly address: string
  /** One for each call to `wait` so far. */
  readonly waited: Waited[]
  readonly #server: Server

  private constructor(server: Server, port: number, waited: Waited[]) {
    this.#server = server
    this.address = `127.0.0.1:${port}`
    this.waited = waited
  }

  /** `pair`: it speaks TLS with it, else plaintext. */
  static async start(pair?: KeyPair): Promise<EchoServer> {
    const server = new Server(UNBOUNDED)
    const waited: Waited[] = []
    server.addService(ECHO, { unary, collect, repeat, chat, fail, wait: waitWith(waited) })
    const credentials = pair
      ? ServerCredentials.createSsl(null, [{ cert_chain: Buffer.from(pair.cert), private_key: Buffer.from(pair.key) }])
      : ServerCredentials.createInsecure()
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync('127.0.0.1:0', credentials, (error, bound) => (error ? reject(error) : resolve(bound)))
    })
    return new EchoServer(server, port, waited)
  }

  stop(): void {
    this.#server.forceShutdown()
  }
}

/** The message back, and every field `x-echo*` of the request as one of the answer's head and of its trailers. */
const unary: handleUnaryCall<Buffer, Buffer> = (call, answer) => {
  const echoed = new Metadata()
  const trailers = new Metadata()
  for (const name of ['x-echo', 'x-echo-bin']) {
    for (const value of call.metadata.get(name)) {
      echoed.add(name, value)
      trailers.add(name.replace('echo', 'trailer'), value)
    }
  }
  call.sendMetadata(echoed)
  answer(null, call.request, trailers)
}

/** All messages in one. */
const collect: handleClientStreamingCall<Buffer, Buffer> = (call, answer) => {
  const parts: Buffer[] = []
  call.on('data', (part: Buffer) => parts.push(part))
  call.on('end', () => answer(null, Buffer.concat(parts)))
}

/** As many messages as the first byte of the request says, numbered. */
const repeat: handleServerStreamingCall<Buffer, Buffer> = (call) => {
  for (let turn = 0; turn < (call.request[0] ?? 0); turn += 1) call.write(Buffer.from([turn]))
  call.end()
}

/** Each message back as it comes. */
const chat: handleBidiStreamingCall<Buffer, Buffer> = (call) => {
  call.on('data', (part: Buffer) => call.write(part))
  call.on('end', () => call.end())
}

const fail: handleUnaryCall<Buffer, Buffer> = (_call, answer) => {
  const metadata = new Metadata()
  metadata.set('x-why-bin', Buffer.from([0, 255]))
  answer({ ...FAILURE, metadata })
}

function waitWith(waited: Waited[]): handleUnaryCall<Buffer, Buffer> {
  return (call) => {
    const cancelled = new Promise<void>((resolve) => {
      call.on('cancelled', () => resolve())
    })
    waited.push({ deadlineMs: Number(call.getDeadline()), cancelled })
  }
}
