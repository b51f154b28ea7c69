// The family "timeouts and sizes" (R11-60 to R11-73), without its rates.
import { err, ok } from '../lib/result.ts'
import type { RetryCause } from '../model/policy.ts'
import type { AnnotationReader } from './annotation-reader.ts'
import { integer, listOf, oneOf, type Parser, seconds, size } from './values.ts'

const MIB = 1024 * 1024
/** What a body may hold that is read whole before an endpoint is asked, where nothing else is said. */
const BODY_BUFFER_BYTES = 8 * 1024

const CAUSES = [
  'error',
  'timeout',
  'invalid_header',
  'http_500',
  'http_502',
  'http_503',
  'http_504',
  'http_403',
  'http_404',
  'http_429',
  'non_idempotent',
] as const satisfies readonly RetryCause[]

/** What the keys of one object say; an absent member is not set. */
export interface TimeoutSettings {
  readonly connectTimeoutMs: number | undefined
  readonly readTimeoutMs: number | undefined
  readonly sendTimeoutMs: number | undefined
  /** 0: no limit. */
  readonly maxBodyBytes: number | undefined
  /** A body of that size is read whole before an endpoint is asked. */
  readonly requestBufferBytes: number | undefined
  readonly maxResponseHeaderBytes: number | undefined
  readonly retry: RetrySettings
}

export interface RetrySettings {
  /** Empty: nothing is tried again. */
  readonly on: readonly RetryCause[] | undefined
  /** 0: each endpoint once. */
  readonly tries: number | undefined
  /** 0: no limit. */
  readonly timeoutMs: number | undefined
}

export function readTimeouts(reader: AnnotationReader): TimeoutSettings {
  return {
    connectTimeoutMs: reader.nginx('proxy-connect-timeout', seconds(1)),
    readTimeoutMs: reader.nginx('proxy-read-timeout', seconds(1)),
    sendTimeoutMs: reader.nginx('proxy-send-timeout', seconds(1)),
    maxBodyBytes: reader.nginx('proxy-body-size', size()),
    requestBufferBytes: readRequestBuffer(reader),
    maxResponseHeaderBytes: readResponseBuffer(reader),
    retry: {
      on: reader.nginx('proxy-next-upstream', readCauses),
      tries: reader.nginx('proxy-next-upstream-tries', integer({ min: 0, max: 100 })),
      timeoutMs: reader.nginx('proxy-next-upstream-timeout', seconds(0)),
    },
  }
}

function readRequestBuffer(reader: AnnotationReader): number | undefined {
  const bytes = reader.nginx('client-body-buffer-size', size(MIB)) ?? BODY_BUFFER_BYTES
  return reader.nginx('proxy-request-buffering', oneOf(['on', 'off'])) === 'on' ? bytes : undefined
}

function readResponseBuffer(reader: AnnotationReader): number | undefined {
  // A response passes as it comes, and what a slow client leaves waits in memory up to the process's bound: the same for
  // both words (R11-71).
  reader.nginx('proxy-buffering', oneOf(['on', 'off']))
  return reader.nginx('proxy-buffer-size', size(MIB))
}

const readCauses: Parser<readonly RetryCause[]> = (text) => {
  const words = listOf(oneOf<RetryCause | 'off'>([...CAUSES, 'off']))(text)
  if (!words.ok) return words
  const causes = words.value.filter((word) => word !== 'off')
  if (causes.length === words.value.length) return ok([...new Set(causes)])
  return causes.length === 0 ? ok([]) : err('joins "off" with other words')
}
