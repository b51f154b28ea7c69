import type { Connection, ConnectionEvents } from '../../src/dataplane/transport/transport.ts'

type EventName = 'opened' | 'received' | 'ended' | 'drained' | 'closed'

/** A connection of a transport as its owner sees it: what was told, in order, and all bytes that came. */
export class RecordedConnection implements ConnectionEvents {
  /** Each event but `received`, with the error of `closed` behind a colon. */
  readonly told: string[] = []
  /** Events that came while the owner was calling the connection: there must be none. */
  readonly within: string[] = []
  /** What the test does when an event is told. */
  readonly on: { [name in EventName]?: (self: RecordedConnection) => void } = {}
  #chunks: Buffer[] = []
  #length = 0
  #connection: Connection | undefined
  #isCalling = false
  readonly #waiters = new Set<() => void>()

  /** Makes itself the owner of `connection`. */
  own(connection: Connection): this {
    this.#connection = connection
    connection.events = this
    return this
  }

  get connection(): Connection {
    if (!this.#connection) throw new Error('it owns no connection yet')
    return this.#connection
  }

  /** All that came. */
  get bytes(): Buffer {
    const bytes = this.#chunks.length === 1 ? this.#chunks[0] : undefined
    if (bytes) return bytes
    const all = Buffer.concat(this.#chunks)
    this.#chunks = [all]
    return all
  }

  /** One call on the connection, during which nothing may be told. */
  call<T>(run: (connection: Connection) => T): T {
    const before = this.#isCalling
    this.#isCalling = true
    try {
      return run(this.connection)
    } finally {
      this.#isCalling = before
    }
  }

  /** Sends a buffer that nobody else writes to. */
  send(bytes: Buffer | string): boolean {
    const buffer = typeof bytes === 'string' ? Buffer.from(bytes) : bytes
    return this.call((connection) => connection.send(buffer, 0, buffer.length))
  }

  /** Resolves as soon as it is so; looked at after every event. */
  when(isSo: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!isSo()) return
        this.#waiters.delete(look)
        resolve()
      }
      this.#waiters.add(look)
      look()
    })
  }

  async untilBytes(count: number): Promise<Buffer> {
    await this.when(() => this.#length >= count)
    return this.bytes
  }

  async untilTold(name: EventName): Promise<void> {
    await this.when(() => this.told.some((told) => told.startsWith(name)))
  }

  opened(): void {
    this.#tell('opened')
  }

  received(slab: Buffer, length: number): void {
    this.#chunks.push(Buffer.from(slab.subarray(0, length)))
    this.#length += length
    this.#tell('received')
  }

  ended(): void {
    this.#tell('ended')
  }

  drained(): void {
    this.#tell('drained')
  }

  closed(error: string | undefined): void {
    this.#tell('closed', error)
  }

  #tell(name: EventName, error?: string): void {
    const told = error === undefined ? name : `${name}: ${error}`
    if (this.#isCalling) this.within.push(told)
    if (name !== 'received') this.told.push(told)
    this.on[name]?.(this)
    for (const look of this.#waiters) look()
  }
}
