/** What `--proxy-protocol` and its two companions ask of every plain and TLS listener (R20-160). */
export interface ProxyProtocolSettings {
  /** CIDRs of those who may send a header; `undefined`: everyone (R20-161). */
  readonly from: readonly string[] | undefined
  /** How long the header may take to come whole. */
  readonly timeoutMs: number
}
