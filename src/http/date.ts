/** The `Date` field's form of a time in milliseconds since the epoch (IMF-fixdate, RFC 9110, section 5.6.7). */
export function httpDate(wallMs: number): string {
  return new Date(wallMs).toUTCString()
}
