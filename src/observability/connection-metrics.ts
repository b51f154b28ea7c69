// Metrics of clients' connections and of the memory that they hold.
import { counter, field, fields, gauge, type Row } from './metric-series.ts'

const SHED = { refused: 'shedRefused', closed: 'shedClosed', paused: 'shedPaused' } as const

export const CONNECTIONS: readonly Row[] = [
  gauge(
    'ramjet_active_connections',
    'Client connections open, tunnels and handshakes among them',
    field('activeConnections'),
  ),
  counter(
    'ramjet_connections_dropped_total',
    'Connections above the maximum, closed at once',
    fields('reason', { limit: 'connectionsDroppedLimit' }),
  ),
  gauge('ramjet_tunnels', 'Upgraded and passed connections open', field('tunnels')),
  counter(
    'ramjet_proxy_protocol_failures_total',
    'Connections closed for their PROXY header',
    fields('reason', {
      missing: 'proxyHeaderMissing',
      malformed: 'proxyHeaderMalformed',
      timeout: 'proxyHeaderTimeout',
      peer: 'proxyHeaderPeer',
    }),
  ),
  counter(
    'ramjet_h2_guard_closes_total',
    'HTTP/2 connections closed by a flood guard',
    fields('guard', { resets: 'h2GuardResets', control: 'h2GuardControl', bytes: 'h2GuardBytes' }),
  ),
  gauge('ramjet_buffered_bytes', 'Bytes in use of --buffer-budget', field('bufferedBytes')),
  counter('ramjet_buffer_shed_total', 'What --buffer-budget made a worker do', fields('action', SHED)),
]
