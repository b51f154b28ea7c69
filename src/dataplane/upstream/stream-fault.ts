// Why a stream of HTTP/2 ended, in place of a system's name for what becomes of a connection.

/** The peer took no notice of the request: it can be made elsewhere, whatever its method (R22-19). */
export const REFUSED_STREAM = 'REFUSED_STREAM'
/** As `REFUSED_STREAM`: the peer had said that it looks at no such stream any more. */
export const GOAWAY = 'GOAWAY'
/** The peer ended this stream alone: it has seen the request. */
export const STREAM_RESET = 'RST_STREAM'

/** What came is no response, or what was written no request: on another connection it would be the same. */
export const INVALID_MESSAGE = 'INVALID_MESSAGE'

const FAILURES: ReadonlyMap<string, 'refused-stream' | 'goaway' | 'invalid'> = new Map([
  [REFUSED_STREAM, 'refused-stream'],
  [GOAWAY, 'goaway'],
  [INVALID_MESSAGE, 'invalid'],
])

/** The failure of a try whose stream ended so; `undefined`: it says nothing that the end of a connection does not. */
export function failureOfStream(fault: string | undefined): 'refused-stream' | 'goaway' | 'invalid' | undefined {
  return fault === undefined ? undefined : FAILURES.get(fault)
}
