import type { LimitFlags } from '../../src/settings/settings.ts'

/** A value of every limit of requests and responses, with what it is read as. */
export const LIMIT_VALUES: readonly (readonly [flag: string, given: string, name: keyof LimitFlags, want: number])[] = [
  ['--header-timeout', '3', 'headerTimeoutMs', 3_000],
  ['--body-timeout', '90s', 'bodyTimeoutMs', 90_000],
  ['--min-body-rate', '0', 'minBodyRate', 0],
  ['--send-timeout', '5m', 'sendTimeoutMs', 300_000],
  ['--keepalive-timeout', '20', 'keepAliveTimeoutMs', 20_000],
  ['--keepalive-requests', '7', 'keepAliveRequests', 7],
  ['--max-target-size', '2k', 'maxTargetBytes', 2_048],
  ['--max-header-size', '16k', 'maxHeaderBytes', 16_384],
  ['--max-headers', '50', 'maxHeaders', 50],
  ['--max-body-size', '1m', 'maxBodyBytes', 1_048_576],
  ['--tunnel-idle-timeout', '0', 'tunnelIdleTimeoutMs', 0],
  ['--response-timeout', '30', 'responseTimeoutMs', 30_000],
  ['--max-response-header-size', '8k', 'maxResponseHeaderBytes', 8_192],
  ['--max-response-headers', '100', 'maxResponseHeaders', 100],
  ['--retry-buffer', '1k', 'retryBufferBytes', 1_024],
  ['--upstream-pool-idle', '4', 'upstreamPoolIdle', 4],
  ['--upstream-h2-sessions', '2', 'upstreamH2Sessions', 2],
  ['--fail-timeout', '1s', 'failTimeoutMs', 1000],
  ['--upstream-idle-timeout', '4s', 'upstreamIdleTimeoutMs', 4_000],
]
