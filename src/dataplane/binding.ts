import type { BoundListener } from './listen-address.ts'
import { type SocketAddress, withPorts } from './socket-address.ts'
import type { ListenReply, WorkerLink } from './worker-link.ts'

/** The addresses that all workers bind. Where a port is free to choose, the first worker's choice is everybody's. */
export class Binding {
  #addresses: readonly SocketAddress[]
  /** The worker that chooses now. */
  #choosing: Promise<ListenReply> | undefined

  constructor(addresses: readonly SocketAddress[]) {
    this.#addresses = addresses
  }

  /** Port 0 stands for one that was not chosen yet. */
  listeners(): readonly BoundListener[] {
    return this.#addresses.map(({ host, port, secure }) => ({ host, port, secure }))
  }

  /** Lets `link` listen on every address. */
  async listen(link: WorkerLink): Promise<ListenReply> {
    while (this.#choosing) await this.#choosing
    if (this.#addresses.every(({ port }) => port !== 0)) return await link.listen(this.#addresses)
    this.#choosing = link.listen(this.#addresses)
    const reply = await this.#choosing
    this.#choosing = undefined
    if (reply.kind === 'listening') this.#addresses = withPorts(this.#addresses, reply.bound)
    return reply
  }
}
