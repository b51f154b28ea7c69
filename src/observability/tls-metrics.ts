// Metrics of TLS towards clients.
import { counter, field, fields, gauge, type Row, sample } from './metric-series.ts'

export const TLS: readonly Row[] = [
  counter('ramjet_tls_handshakes_total', 'Handshakes completed, resumed ones included', field('tlsHandshakes')),
  counter(
    'ramjet_tls_handshake_failures_total',
    'Handshakes that failed',
    fields('reason', {
      no_certificate: 'tlsNoCertificate',
      no_protocol: 'tlsNoProtocol',
      client_certificate: 'tlsClientCertificate',
      not_tls: 'tlsNotTls',
      timeout: 'tlsTimeout',
      callback: 'tlsCallback',
      protocol: 'tlsProtocol',
      reset: 'tlsReset',
    }),
  ),
  counter('ramjet_tls_contexts_built_total', 'Secure contexts made', field('tlsContextsBuilt')),
  gauge('ramjet_certificate_expiry_seconds', 'Unix time at which the certificate that serves expires', {
    labels: ['namespace', 'secret'],
    read: ({ certificates }) =>
      certificates.map(({ namespace, secret, notAfterMs }) =>
        sample(
          [
            ['namespace', namespace],
            ['secret', secret],
          ],
          notAfterMs / 1000,
        ),
      ),
  }),
]
