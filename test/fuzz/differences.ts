// Where the codec and Node's parser do not agree, and why that is right: the closed list.
import { METHODS } from 'node:http'
import type { ReadConnection } from './node-parser.ts'
import { type ReadByCodec, UPGRADE } from './our-parser.ts'

export interface Difference {
  readonly name: string
  readonly reason: string
  /** `stricter`: the codec refuses what Node takes. `looser`: the other way round. */
  readonly side: 'stricter' | 'looser'
  /** In the bytes of the message that they differ in, to the end of the input. */
  readonly shows: RegExp
}

const BEFORE = String.raw`^(?:\r\n)*`

/** An entry explains a difference only on its own side, and only where what it names is there. */
export const DIFFERENCES: readonly Difference[] = [
  {
    name: 'empty-lines',
    reason: 'Node skips CR and LF in any order before a request; RFC 9112, section 2.2, speaks of CRLF',
    side: 'stricter',
    shows: new RegExp(`${BEFORE}(?:\\n|\\r[^\\n])`),
  },
  {
    name: 'many-empty-lines',
    reason: 'Node does not count empty lines (R20-86, R20-182)',
    side: 'stricter',
    shows: /^(?:\r\n){513}/,
  },
  {
    name: 'extensions-of-body',
    reason: 'Node counts the extensions of each chunk, and not those of the body (R20-87)',
    side: 'stricter',
    shows: /\r\n[\da-f]+;[^\r\n]{500}/i,
  },
  {
    name: 'spaces',
    reason:
      'Node takes more than one space between the parts of a request line; two readers could split it in two ways',
    side: 'stricter',
    shows: new RegExp(`${BEFORE}[^ \\r\\n]+ (?: |[^ \\r\\n]+  )`),
  },
  {
    name: 'protocol-name',
    reason: 'Node takes RTSP, and ICE behind SOURCE, for HTTP (R20-182)',
    side: 'stricter',
    shows: new RegExp(`${BEFORE}[^ \\r\\n]+ [^ \\r\\n]+ +(?:RTSP|ICE)/`),
  },
  {
    name: 'preface',
    reason: 'Node waits for all of the preface of HTTP/2; its first line is enough (71 row 127)',
    side: 'stricter',
    shows: new RegExp(`${BEFORE}PRI `),
  },
  {
    name: 'size-digits',
    reason: 'Node takes any number of zeros before the size of a chunk; the next reader may not',
    side: 'stricter',
    shows: /\r\n0[\da-f]{16,}/i,
  },
  {
    name: 'size-above-2-to-53',
    reason: 'Node counts to 2^64 and waits for data that nobody can send',
    side: 'stricter',
    shows: /\r\n0*[\da-f]{14,16}[;\r]/i,
  },
  {
    name: 'extension-form',
    reason: 'Node takes extensions without a name, without a value, or with a quote inside a word',
    side: 'stricter',
    shows: /\r\n[\da-f]+;(?:[^\r\n]*;)?(?:[=;\r]|[^\r\n]*=(?:[\r;]|[^\r\n";]+"))/i,
  },
  {
    name: 'upgrade-body',
    reason: 'Node takes what follows an upgrade for no body; here it is one, and judged (71 row 129)',
    side: 'stricter',
    shows: /\r\nconnection:[^\r\n]*upgrade/i,
  },
  {
    name: 'coding-blank',
    reason: 'Node takes no tab behind a coding; it is white space (71 row 25)',
    side: 'looser',
    shows: /\r\ntransfer-encoding:[^\r\n]*chunked[\t ]*\t[\t ]*\r\n/i,
  },
  {
    name: 'proxy-connection',
    reason: 'Node takes `Proxy-Connection: close` for `Connection: close`; it has no meaning (RFC 9110, appendix B.3)',
    side: 'looser',
    shows: /\r\nproxy-connection:[^\r\n]*close/i,
  },
  {
    name: 'proxy-connection-1.0',
    reason: 'and `Proxy-Connection: keep-alive` for `Connection: keep-alive`, which HTTP/1.0 needs to stay open',
    side: 'stricter',
    shows: / HTTP\/1\.0\r\n(?:[^\r\n]+\r\n)*proxy-connection:[^\r\n]*keep-alive/i,
  },
  {
    name: 'unknown-method',
    reason: 'Node knows a fixed set of methods; any token is one (R20-182)',
    side: 'looser',
    shows: new RegExp(`${BEFORE}(?!(?:${METHODS.join('|')}) )[!#$%&'*+.^_\`|~0-9A-Za-z-]+ `),
  },
  {
    name: 'trailer-framing',
    reason: 'Node takes fields of framing and connection in a trailer for those of a head (71 row 46, R20-182)',
    side: 'looser',
    shows: /\r\n0+(?:;[^\r\n]*)?\r\n(?:[^\r\n]+\r\n)*(?:content-length|transfer-encoding|connection):/i,
  },
]

/** What differs first, and where; `undefined`: nothing. */
export interface Found {
  readonly side: Difference['side'] | 'both'
  readonly at: number
}

/** The first place where the two readings of `text` differ. */
export function firstDifference(ours: ReadByCodec, node: ReadConnection): Found | undefined {
  // How far Node reads behind a request for another protocol depends on the reads that it comes in.
  const isOver = ours.reason === UPGRADE && node.messages.length >= ours.messages.length
  const count = isOver ? ours.messages.length : Math.max(ours.messages.length, node.messages.length)
  // What ended the connection for Node alone stands in the message before.
  const [mostOfOurs, mostOfNode] = [ours.messages.length, node.messages.length]
  const hasNodeClosed = node.reason === 'HPE_CLOSED_CONNECTION'
  const hasClosed = ours.reason === 'closed'
  const endedByNode = hasNodeClosed && (!hasClosed || mostOfNode < mostOfOurs)
  const endedByUs = hasClosed && (!hasNodeClosed || mostOfOurs < mostOfNode)
  for (let index = 0; index < count; index += 1) {
    const [mine, theirs] = [ours.messages[index], node.messages[index]]
    const at = ours.starts[index] ?? 0
    if (!theirs && endedByNode) return { side: 'looser', at: before(ours, index) }
    if (!mine) return { side: 'stricter', at: endedByUs ? before(ours, index) : at }
    if (!theirs) return { side: 'looser', at }
    if (JSON.stringify(mine) !== JSON.stringify(theirs)) return { side: 'both', at }
  }
  if (isOver || ours.isRefused === node.isRefused) return undefined
  if (endedByNode) return { side: 'looser', at: before(ours, count) }
  if (endedByUs) return { side: 'stricter', at: before(ours, count) }
  return { side: ours.isRefused ? 'stricter' : 'looser', at: ours.starts.at(-1) ?? 0 }
}

/** Where the message before `index` begins. */
function before(ours: ReadByCodec, index: number): number {
  return ours.starts[index - 1] ?? 0
}

/** The entry that explains a difference; `undefined`: none does. */
export function explain(found: Found, text: string): Difference | undefined {
  const message = text.slice(found.at)
  return DIFFERENCES.find(({ side, shows }) => side === found.side && shows.test(message))
}
