// A `101`: two connections of HTTP/1.1 become one tunnel (R20-155).
import type { ResponseScan } from '../../../http/h1-response-scan.ts'
import { HeaderIndex } from '../../../http/header-list.ts'
import { looksLikeTunnel } from '../../../http/response-check.ts'
import { switchingFields } from '../../../http/response-head.ts'
import type { ExchangeRecord } from '../../exchange-record.ts'
import { headBytes } from '../../own-answers.ts'
import type { WireContext } from './context.ts'
import type { ExchangeHost } from './exchange-host.ts'
import type { Forwarding } from './forwarding.ts'
import type { RequestFacts } from './request-facts.ts'
import { Tunnel } from './tunnel.ts'
import type { UpstreamConnection } from './upstream-connection.ts'

export interface ProtocolSwitchParts {
  readonly context: WireContext
  readonly client: ExchangeHost
  readonly record: ExchangeRecord
  readonly facts: Readonly<RequestFacts>
  readonly forwarding: Forwarding
  /** Both connections of the tunnel are gone. */
  readonly closed: () => void
}

export class ProtocolSwitch {
  readonly #parts: ProtocolSwitchParts

  constructor(parts: ProtocolSwitchParts) {
    this.#parts = parts
  }

  /** Whether the client would take this status, which switches nothing, for an open tunnel. */
  isFeigned(status: number): boolean {
    const { client, facts } = this.#parts
    return client.isStream && facts.isUpgrade && looksLikeTunnel(status)
  }

  /** Relays the `101` that `scan` found in `bytes`, and opens the tunnel; false: nobody asked for one (R20-157). */
  perform(scan: ResponseScan, bytes: Buffer, to: number): boolean {
    const { context, record, facts, forwarding } = this.#parts
    const index = new HeaderIndex(scan.list(bytes))
    const isAsked = facts.isUpgrade && index.has('upgrade') && scan.notes.saysUpgrade
    const upstream = isAsked ? forwarding.handOver() : undefined
    if (!upstream) return false
    record.headed(101)
    record.interim()
    record.settled()
    context.output.appendAll(headBytes(101, scan.reason(bytes), switchingFields(index)))
    context.output.append(bytes, scan.headEnd, to)
    this.#open(upstream)
    return true
  }

  /** What stands in the output goes to the client first, and what came early of the client to the upstream. */
  #open({ connection: upstream }: UpstreamConnection): void {
    const { context, client, facts, closed } = this.#parts
    const { output, time, keeper, deps } = context
    output.sendTo(client.connection)
    const tunnel = new Tunnel(
      { connection: client.connection, hasEnded: client.hasEnded },
      { connection: upstream, hasEnded: false },
      {
        output,
        time,
        bufferBytes: deps.settings.connectionBufferBytes,
        idleTimeoutMs: facts.limits.tunnelIdleTimeoutMs,
        closed: () => {
          keeper.tunnelClosed(tunnel)
          closed()
        },
      },
    )
    client.becomeTunnel((early, from, to) => {
      output.append(early, from, to)
      output.sendTo(upstream)
    })
    keeper.tunnelOpened(tunnel)
    tunnel.open()
  }
}
