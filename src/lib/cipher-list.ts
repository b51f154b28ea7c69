// The door to node:tls for lists of ciphers: whether the runtime takes one.
import { createSecureContext } from 'node:tls'
import { err, ok, type Result } from './result.ts'

const LIST = /^[A-Za-z0-9_:,+!@=.\- ]{1,4096}$/

/** `text`, where it is a list of ciphers as OpenSSL writes them that leaves at least one. Ends a sentence: `which ...`. */
export function parseCipherList(text: string): Result<string, string> {
  if (!LIST.test(text)) return err('is no list of ciphers')
  try {
    // Without authorities: reading those of the runtime would cost more than all else.
    createSecureContext({ ciphers: text, ca: [] })
    return ok(text)
  } catch {
    return err('names no cipher that the runtime has')
  }
}
