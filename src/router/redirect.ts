// Where a client is sent (R11-46, R11-48).
import { err, ok, type Result } from '../lib/result.ts'
import type { Redirect } from './decision.ts'
import type { AskedPath, RewriteFault } from './rewrite.ts'
import { expandTemplate, readCaptures } from './template.ts'

export interface AskedUrl extends AskedPath {
  readonly scheme: 'http' | 'https'
  /** As the client wrote it; may be empty. */
  readonly authority: string
}

/**
 * The value of `Location`: an absolute URL, or a path where the request named no authority. Whatever could end the line
 * is encoded (71 #227).
 */
export function redirectLocation(
  { route, action, captures }: Redirect,
  asked: AskedUrl,
  limits: { readonly maxTargetBytes: number },
): Result<string, RewriteFault> {
  const taken = readCaptures(route.match, captures, asked.path)
  if (!taken) return err('target-too-long')
  const { base, template, keepsQuery } = action.location
  const text = expandTemplate(template, taken) + (keepsQuery ? asked.query : '')
  if (text.length > limits.maxTargetBytes) return err('target-too-long')
  const origin = base === 'origin' && asked.authority !== '' ? `${asked.scheme}://${asked.authority}` : ''
  return ok(origin + encoded(text))
}

/** All but visible ASCII percent-encoded; each character is one byte. */
export function encoded(text: string): string {
  return text.replaceAll(/[^\x21-\x7e]/g, (character) => {
    const byte = character.charCodeAt(0) % 0x100
    return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  })
}
