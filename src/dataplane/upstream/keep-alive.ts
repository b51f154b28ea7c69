const MARGIN_MS = 1000

/**
 * How long a connection may be kept whose other end announced its own limit with this `Keep-Alive` field: a margin
 * less, in milliseconds, so that it is us who close it; 0 or less where that leaves no time. `undefined`: it names none.
 */
export function announcedIdleMs(field: string): number | undefined {
  const seconds = /(?:^|[\s,])timeout=(\d{1,9})/i.exec(field)?.[1]
  return seconds === undefined ? undefined : Number(seconds) * 1000 - MARGIN_MS
}
