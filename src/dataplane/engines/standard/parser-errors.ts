// What node:http's parser says, and what it means to us (R70-132).
import type { EngineLimits } from '../../engine-limits.ts'
import type { AnswerName } from '../../own-answers.ts'

const GONE: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ECONNABORTED'])

/** Reports whether an error is of the socket: nobody is left to be answered. */
export function isPeerGone(error: Error): boolean {
  return GONE.has(textOf(error, 'code'))
}

/** The answer to a message that the parser refused; `undefined` for bytes behind a request that ends the connection. */
export function answerToParserError(error: Error, limits: EngineLimits): AnswerName | undefined {
  switch (textOf(error, 'code')) {
    case 'HPE_CLOSED_CONNECTION':
      return undefined
    case 'HPE_HEADER_OVERFLOW':
      return isLongTarget(error, limits) ? 'target-too-long' : 'head-too-large'
    case 'HPE_PAUSED_H2_UPGRADE':
      return 'version-not-supported'
    case 'HPE_INVALID_VERSION':
      return isOtherVersion(error) ? 'version-not-supported' : 'malformed'
    default:
      return 'malformed'
  }
}

/** Whether the first line of what was read last runs past the limit: the parser does not tell target and fields apart. */
function isLongTarget(error: Error, { maxTargetBytes }: EngineLimits): boolean {
  if (!('rawPacket' in error) || !(error.rawPacket instanceof Uint8Array)) return false
  const end = error.rawPacket.indexOf(0x0a)
  return (end < 0 ? error.rawPacket.length : end) > maxTargetBytes
}

/** Whether the version is well formed, as far as the last read shows: digit, dot, digit, and the end of the line. */
function isOtherVersion(error: Error): boolean {
  const reason = textOf(error, 'reason')
  // A request of HTTP/2 that is not the preface: its version is one.
  if (reason === 'Expected HTTP/2 Connection Preface') return true
  if (reason !== 'Invalid HTTP version') return false
  if (!('rawPacket' in error) || !(error.rawPacket instanceof Uint8Array)) return true
  const next = 'bytesParsed' in error && typeof error.bytesParsed === 'number' ? error.bytesParsed : -1
  return (error.rawPacket[next] ?? CR) === CR
}

const CR = 0x0d

function textOf(error: Error, field: 'code' | 'reason'): string {
  const value: unknown = Reflect.get(error, field)
  return typeof value === 'string' ? value : ''
}
