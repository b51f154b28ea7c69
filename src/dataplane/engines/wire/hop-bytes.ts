// What this hop says of every request of one connection, as bytes made once (R60-20).
import type { Peer } from '../../../http/forwarded.ts'
import type { Dialled } from '../../dialled.ts'

export interface HopBytes {
  /** `X-Real-IP` and `X-Forwarded-For`. */
  readonly client: Buffer
  /** What does not depend on the client: port and scheme. */
  readonly here: Buffer
  /** Of both. */
  readonly length: number
}

/** The bytes for requests of a peer that sent none of the forwarded set, or is not to be believed. */
export class HopBytesMaker {
  /** By scheme and port: there are as many as listeners. */
  readonly #here = new Map<string, Buffer>()

  make(peer: Peer, dialled: Dialled): HopBytes {
    const client = fieldLines(['X-Real-IP', peer.address, 'X-Forwarded-For', peer.address])
    const here = this.#hereOf(dialled)
    return { client, here, length: client.length + here.length }
  }

  #hereOf({ scheme, port }: Dialled): Buffer {
    const key = `${scheme} ${port}`
    const known = this.#here.get(key)
    if (known) return known
    const made = fieldLines([
      'X-Forwarded-Port',
      String(port),
      'X-Forwarded-Proto',
      scheme,
      'X-Forwarded-Scheme',
      scheme,
      'X-Scheme',
      scheme,
    ])
    // Ports that a PROXY header names are somebody else's choice.
    if (this.#here.size < MAX_PORTS) this.#here.set(key, made)
    return made
  }
}

const MAX_PORTS = 64

function fieldLines(fields: readonly string[]): Buffer {
  let text = ''
  for (let at = 0; at < fields.length; at += 2) text += `${fields[at]}: ${fields[at + 1]}\r\n`
  return Buffer.from(text, 'latin1')
}
