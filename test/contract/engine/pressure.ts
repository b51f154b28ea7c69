// Bytes in masses, to see who holds whom back.
import type { Socket } from 'node:net'

export const MIB = 1_048_576

/** Writes until the other end takes no more; how much was taken. */
export async function fill(socket: Socket, total: number): Promise<number> {
  const chunk = Buffer.alloc(MIB)
  let written = 0
  let waiting = -1
  // The kernel's buffers fill step by step: only when nothing moves for many turns of the loop is it the end.
  for (let still = 0; still < 500 && written < total; still += 1) {
    if (socket.writableLength < chunk.length) {
      socket.write(chunk)
      written += chunk.length
    }
    if (socket.writableLength !== waiting) still = 0
    waiting = socket.writableLength
    await turn()
  }
  return written - socket.writableLength
}

/** Writes so many bytes, as fast as they are taken. */
export async function pour(socket: Socket, total: number): Promise<void> {
  const chunk = Buffer.alloc(MIB)
  for (let written = 0; written < total; written += chunk.length) {
    if (!socket.write(chunk)) await drained(socket)
  }
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once('drain', () => resolve())
  })
}

function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
