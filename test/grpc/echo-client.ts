// Calls to the echo service through whatever stands before it.
import {
  type CallOptions,
  Client,
  type ClientDuplexStream,
  type ClientUnaryCall,
  credentials,
  Metadata,
  type ServiceError,
} from '@grpc/grpc-js'
import { ECHO, UNBOUNDED } from './echo-service.ts'

/** How a unary call ended. */
export interface Outcome {
  readonly code: number
  readonly details: string
  readonly message: Buffer
  /** Of the answer's head, and behind its last message. */
  readonly metadata: Metadata
  readonly trailers: Metadata
}

export interface EchoClientOptions {
  readonly port: number
  /** The host that is asked for. */
  readonly host: string
  /** The authority that is trusted, as PEM; absent: plaintext. */
  readonly authority?: string
}

export class EchoClient {
  readonly #client: Client

  constructor({ port, host, authority }: EchoClientOptions) {
    const secured =
      authority === undefined ? credentials.createInsecure() : credentials.createSsl(Buffer.from(authority))
    this.#client = new Client(`127.0.0.1:${port}`, secured, {
      'grpc.default_authority': host,
      'grpc.ssl_target_name_override': host,
      // Every client has connections of its own.
      'grpc.use_local_subchannel_pool': 1,
      'grpc.enable_retries': 0,
      ...UNBOUNDED,
    })
  }

  close(): void {
    this.#client.close()
  }

  unary(message: Buffer, metadata: Metadata = new Metadata(), options: CallOptions = {}): Promise<Outcome> {
    return this.#ask('unary', { message, metadata, options }).outcome
  }

  fail(): Promise<Outcome> {
    return this.#ask('fail', {}).outcome
  }

  /** A call that nobody answers. */
  wait(options: CallOptions = {}): { readonly call: ClientUnaryCall; readonly outcome: Promise<Outcome> } {
    return this.#ask('wait', { options })
  }

  /** What came of all these messages. */
  collect(messages: readonly Buffer[]): Promise<Buffer> {
    const { path, requestSerialize, responseDeserialize } = ECHO.collect
    return new Promise((resolve, reject) => {
      const done = (error: ServiceError | null, message?: Buffer): void => {
        if (message) resolve(message)
        else reject(error ?? new Error('no message'))
      }
      const call = this.#client.makeClientStreamRequest(path, requestSerialize, responseDeserialize, done)
      for (const message of messages) call.write(message)
      call.end()
    })
  }

  /** The messages that came back for `count`. */
  async repeat(count: number): Promise<readonly Buffer[]> {
    const { path, requestSerialize, responseDeserialize } = ECHO.repeat
    const call = this.#client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, Buffer.from([count]))
    const came: Buffer[] = []
    for await (const message of call) came.push(message as Buffer)
    return came
  }

  chat(): ClientDuplexStream<Buffer, Buffer> {
    const { path, requestSerialize, responseDeserialize } = ECHO.chat
    return this.#client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize)
  }

  #ask(
    method: 'unary' | 'fail' | 'wait',
    {
      message = Buffer.from('?'),
      metadata = new Metadata(),
      options = {},
    }: { readonly message?: Buffer; readonly metadata?: Metadata; readonly options?: CallOptions },
  ): { readonly call: ClientUnaryCall; readonly outcome: Promise<Outcome> } {
    const { path, requestSerialize, responseDeserialize } = ECHO[method]
    const { promise: outcome, resolve } = Promise.withResolvers<Outcome>()
    let answered: Buffer = Buffer.alloc(0)
    let head = new Metadata()
    const done = (_error: ServiceError | null, came?: Buffer): void => {
      answered = came ?? answered
    }
    const call = this.#client.makeUnaryRequest(
      path,
      requestSerialize,
      responseDeserialize,
      message,
      metadata,
      options,
      done,
    )
    call.on('metadata', (fields) => {
      head = fields
    })
    // The callback comes first where there is a message.
    call.on('status', ({ code, details, metadata: trailers }) => {
      setImmediate(() => resolve({ code, details, message: answered, metadata: head, trailers }))
    })
    return { call, outcome }
  }
}
