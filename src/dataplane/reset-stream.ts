import type { Http2Stream } from 'node:http2'
import { addAbortSignal } from 'node:stream'

/**
 * Ends a stream that cannot be ended truthfully: by INTERNAL_ERROR (R20-73), or by CANCEL for what nobody wants any more
 * (RFC 9113, section 8.7), a tunnel for one (RFC 8441, section 5). `Http2Stream.close` would first end our side: the peer
 * would see END_STREAM, and take what it has for the whole (R20-59, R71-3).
 */
export function resetStream(stream: Http2Stream, code: 'internal-error' | 'cancel'): void {
  if (code === 'internal-error') stream.destroy(new Error('cut'))
  // Of what a stream is destroyed by, this alone becomes CANCEL.
  else addAbortSignal(AbortSignal.abort(), stream)
}
