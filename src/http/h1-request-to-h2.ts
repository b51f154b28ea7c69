// A request head that was written as HTTP/1.1, as HTTP/2 carries it (RFC 9113, section 8.3.1; R22-17).
import { connectionTokens, isHopByHop } from './connection-fields.ts'
import { namesGrpcType } from './grpc.ts'
import { HeaderIndex, type HeaderList, listTokens } from './header-list.ts'

export interface H2RequestParts {
  readonly method: string
  readonly target: string
  readonly fields: HeaderList
  readonly scheme: 'http' | 'https'
  /** What `:authority` says where the request has no host, as one of HTTP/1.0 may. */
  readonly defaultAuthority: string
}

/** Pseudo fields first, then the fields in their order with names in lower case; nothing of them belongs to one hop. */
export function h2RequestFields(parts: H2RequestParts): string[] {
  const index = new HeaderIndex(parts.fields)
  const [host = ''] = index.values('host')
  const authority = host === '' ? parts.defaultAuthority : host
  const { method, target, scheme } = parts
  const list = [':method', method, ':scheme', scheme, ':authority', authority, ':path', target]
  const named = connectionTokens(index)
  for (const [at, name] of index.names.entries()) {
    const value = index.fields[2 * at + 1] ?? ''
    if (name === 'te') list.push(...(listTokens([value]).includes('trailers') ? TAKES_TRAILERS : []))
    else if (!OF_HTTP1.has(name) && !isHopByHop(name, named)) list.push(name, value)
  }
  // What no gRPC server does without; whoever asks us takes trailers in any case (R20-46).
  if (!index.has('te') && namesGrpcType(parts.fields)) list.push(...TAKES_TRAILERS)
  return list
}

const OF_HTTP1: ReadonlySet<string> = new Set(['host', 'http2-settings'])
/** The one value that `TE` may have in HTTP/2 (RFC 9113, section 8.2.2). */
const TAKES_TRAILERS: HeaderList = ['te', 'trailers']
