import type { ServerSessionOptions } from 'node:http2'
import type { EngineLimits } from '../../engine-limits.ts'
import { STREAM_WINDOW, sentHeadBytes } from '../../http2-limits.ts'
import type { Http2Settings } from '../../secure-settings.ts'

/** R20-102. */
const HEADER_TABLE = 4096
const MIB = 1024 * 1024
/** Of a session without streams, and of what is being read or written. */
const SESSION_MIB = 4

export interface SessionLimits {
  readonly http2: Http2Settings
  readonly limits: Pick<EngineLimits, 'maxHeaderBytes' | 'maxResponseHeaderBytes'>
  /** What may wait in one direction of one stream. */
  readonly connectionBufferBytes: number
}

/** How `node:http2` is to hold a client's session (R70-133, R22-5, R22-11). */
export function sessionOptions({ http2, limits, connectionBufferBytes }: SessionLimits): ServerSessionOptions {
  const streamBytes = STREAM_WINDOW + connectionBufferBytes
  return {
    settings: {
      headerTableSize: HEADER_TABLE,
      maxConcurrentStreams: http2.maxStreams,
      initialWindowSize: STREAM_WINDOW,
      // Advertised only, and twice what we take, so that a 431 is ours to give.
      maxHeaderListSize: limits.maxHeaderBytes * 2,
      enableConnectProtocol: true,
      enablePush: false,
    },
    // Crumbs and pseudo fields are counted by it.
    maxHeaderListPairs: http2.maxHeaders * 2,
    maxSessionMemory: SESSION_MIB + Math.ceil((http2.maxStreams * streamBytes) / MIB),
    maxSessionInvalidFrames: http2.maxResets,
    maxSessionRejectedStreams: http2.maxResets,
    maxSendHeaderBlockLength: sentHeadBytes(limits.maxResponseHeaderBytes),
    maxSettings: 32,
    maxOutstandingPings: 10,
    unknownProtocolTimeout: 1000,
    // We trim; a value that is dropped would be absent from what a policy looks at (R22-4).
    strictFieldWhitespaceValidation: false,
    // Duplicates of an upstream go on as they came (R20-53).
    strictSingleValueFields: false,
  }
}
