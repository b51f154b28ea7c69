import type { RequestScan } from '../../../http/h1-request-scan.ts'
import type { RouteLimits } from '../../route-limits.ts'
import { isHead } from './method.ts'

/** What is known of the request that is served: one object for all requests of a connection. */
export class RequestFacts {
  /** 0 for HTTP/1.0. */
  minorVersion = 1
  isHead = false
  /** Whether the client takes another answer on its connection. */
  keepsAlive = true
  isUpgrade = false
  /** Whether our own answers have the form that gRPC wants; false also where the content type did not become known. */
  isGrpc = false
  /** Whether the client waits for a `100`, as far as its head says. */
  awaitsContinue = false
  /** The length that the head announced of the body. */
  bodyBytes = 0
  /** Those of the route, once there is one. */
  limits: RouteLimits

  constructor(limits: RouteLimits) {
    this.limits = limits
  }

  /** Begins with the request whose head `scan` found in `bytes`; `limits` hold as long as it has no route. */
  take(scan: RequestScan, bytes: Buffer, limits: RouteLimits): void {
    const { notes, minorVersion } = scan
    const keepsAlive = !notes.saysClose && (minorVersion > 0 || notes.saysKeepAlive)
    this.minorVersion = minorVersion
    this.isHead = isHead(scan, bytes)
    this.keepsAlive = keepsAlive && hasClearEnd(scan)
    this.isUpgrade = false
    this.isGrpc = scan.isGrpc(bytes)
    this.awaitsContinue = minorVersion > 0 && notes.expectsContinue
    this.bodyBytes = Math.max(0, notes.contentLength)
    this.limits = limits
  }
}

/** Whether there is one way to tell where the body ends; behind any other no request can be found. */
function hasClearEnd({ notes }: RequestScan): boolean {
  const { lengthCount, codingCount } = notes
  if (lengthCount + codingCount === 0) return true
  return lengthCount + codingCount === 1 && (codingCount === 1 ? notes.isChunked : notes.contentLength >= 0)
}
