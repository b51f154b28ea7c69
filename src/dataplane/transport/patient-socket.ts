import { Socket } from 'node:net'

/**
 * A socket that is read on when a write has failed: a peer that resets us may have said before why, an upstream that wants
 * no more of a body for one (R20-58). Node destroys any other at once, with what the kernel has of its peer. This one ends
 * with the read that tells the end, and with the error of that write.
 *
 * It overrides `destroy`, since `_destroy` comes too late: a stream counts as destroyed by then, and nothing is read of it.
 */
export class PatientSocket extends Socket {
  /** Of the write that failed. */
  #failure: Error | undefined
  #hasEnded = false

  override destroy(error?: Error): this {
    const isRead = !this.#hasEnded && !this.isPaused()
    if (this.#failure || !isOfWrite(error) || !isRead) return super.destroy(error)
    this.#failure = error
    return this
  }

  override pause(): this {
    // Nobody would be told of its end any more.
    if (this.#failure) super.destroy(this.#failure)
    return super.pause()
  }

  override push(chunk: unknown, encoding?: BufferEncoding): boolean {
    if (chunk === null) this.#hasEnded = true
    if (chunk !== null || !this.#failure) return super.push(chunk, encoding)
    // Not an end that the peer meant; and of a stream on which anything failed Node tells no end.
    super.destroy(this.#failure)
    return false
  }
}

function isOfWrite(error: Error | undefined): boolean {
  return error !== undefined && Reflect.get(error, 'syscall') === 'write'
}
