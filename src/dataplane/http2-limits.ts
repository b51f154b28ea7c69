// What an HTTP/2 connection is held to whichever side is ours, and no flag changes.

/** Of one stream (R20-101). */
export const STREAM_WINDOW: number = 64 * 1024
/** Of all streams of a connection together (R20-101). */
export const CONNECTION_WINDOW: number = 1024 * 1024
/** How long a socket may outlive its session (R20-107). */
export const SOCKET_LINGER_MS = 5000
