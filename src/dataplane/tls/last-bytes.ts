import type { Socket } from 'node:net'
import type { Timers } from '../../lib/timers.ts'

export interface LastBytesLimits {
  /** What is still read, and for how long (R20-89). */
  readonly drainBytes: number
  readonly drainMs: number
}

/**
 * Sends the last that a client gets and reads on for a moment: to close over bytes that nobody read would reset the
 * connection and could take it from the client (R71-4). The socket has its `error` listener already.
 */
export function sendLastBytes(socket: Socket, bytes: Buffer, limits: LastBytesLimits, timers: Timers): void {
  let unread = 0
  const cancel = timers.after(limits.drainMs, () => socket.destroy())
  socket.once('close', cancel)
  socket.on('end', () => socket.destroySoon())
  socket.on('data', (chunk) => {
    unread += chunk.length
    if (unread > limits.drainBytes) socket.destroy()
  })
  socket.end(bytes)
  socket.resume()
}
