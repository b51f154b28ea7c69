// Why a stream of HTTP/2 ended, in place of a system's name for what becomes of a connection.

/** The peer took no notice of the request: it can be made elsewhere, whatever its method (R22-19). */
export const REFUSED_STREAM = 'REFUSED_STREAM'
/** As `REFUSED_STREAM`: the peer had said that it looks at no such stream any more. */
export const GOAWAY = 'GOAWAY'
/** The peer ended this stream alone: it has seen the request. */
export const STREAM_RESET = 'RST_STREAM'

/** The failure of a try whose stream was ignored like this. */
export function failureOfStream(fault: typeof REFUSED_STREAM | typeof GOAWAY): 'refused-stream' | 'goaway' {
  return fault === GOAWAY ? 'goaway' : 'refused-stream'
}
