// What HTTP must know of gRPC: which requests are of it, and how an error is told to them (R22-24 to R22-38).
import { bytesOf } from '../lib/bytes-of.ts'
import { matchesFolded } from './h1-bytes.ts'
import type { HeaderList } from './header-list.ts'

const TYPE = bytesOf('application/grpc')
/** gRPC-Web is ordinary HTTP (R22-38). */
const WEB = bytesOf('-web')

/** Reports whether the content type in `bytes[start, end)` is one of gRPC, and none of gRPC-Web. */
export function isGrpcType(bytes: Uint8Array, start: number, end: number): boolean {
  const rest = start + TYPE.length
  if (rest > end || !matchesFolded(bytes, start, TYPE)) return false
  return rest + WEB.length > end || !matchesFolded(bytes, rest, WEB)
}

const NAME = 'content-type'
const TYPE_TEXT = /^application\/grpc(?!-web)/i

/** The same of a list of fields, of which the last content type counts. */
export function namesGrpcType(fields: HeaderList): boolean {
  for (let at = fields.length - 2; at >= 0; at -= 2) {
    const name = fields[at] ?? ''
    if (name.length === NAME.length && name.toLowerCase() === NAME) return TYPE_TEXT.test(fields[at + 1] ?? '')
  }
  return false
}

const INTERNAL = 13
const UNAUTHENTICATED = 16
const PERMISSION_DENIED = 7
const UNIMPLEMENTED = 12
const DEADLINE_EXCEEDED = 4
const RESOURCE_EXHAUSTED = 8
const UNAVAILABLE = 14
const UNKNOWN = 2

/** By the HTTP status of an answer of ours (R22-27 to R22-33). */
const STATUSES: ReadonlyMap<number, number> = new Map([
  [400, INTERNAL],
  [401, UNAUTHENTICATED],
  [403, PERMISSION_DENIED],
  [404, UNIMPLEMENTED],
  [405, UNIMPLEMENTED],
  [408, DEADLINE_EXCEEDED],
  [413, RESOURCE_EXHAUSTED],
  [421, UNAVAILABLE],
  [429, RESOURCE_EXHAUSTED],
  [431, RESOURCE_EXHAUSTED],
  [502, UNAVAILABLE],
  [503, UNAVAILABLE],
  [504, DEADLINE_EXCEEDED],
])

/** The `grpc-status` that says the same as this HTTP status of an answer of ours. */
export function grpcStatusOf(status: number): number {
  return STATUSES.get(status) ?? UNKNOWN
}

/** `text` as `grpc-message` carries it: all but printable ASCII, and `%` itself, as `%XX` (gRPC over HTTP/2). */
export function grpcMessage(text: string): string {
  return text.replace(/[^ -$&-~]+/g, (part) => encodeURIComponent(part))
}
