/** RFC 3339 with six digits, as Kubernetes' MicroTime is written. */
export function microTime(wallMs: number): string {
  return new Date(wallMs).toISOString().replace('Z', '000Z')
}
