// One input through every parser that it is for: what two readers disagree on, in words.
import { ChunkedBody } from '../../src/http/chunked.ts'
import { parseClientHello } from '../../src/http/client-hello.ts'
import { RequestScan } from '../../src/http/h1-request-scan.ts'
import { ResponseScan } from '../../src/http/h1-response-scan.ts'
import { DONE, INVALID } from '../../src/http/h1-scan.ts'
import { parseProxyHeader } from '../../src/http/proxy-protocol.ts'
import { explain, firstDifference } from './differences.ts'
import type { NodeParser } from './node-parser.ts'
import { readOurs } from './our-parser.ts'
import { referenceChunked } from './reference-chunked.ts'
import { referenceRequest } from './reference-request.ts'
import { referenceResponse } from './reference-response.ts'

const LIMITS = { maxTargetBytes: 200, maxHeaderBytes: 2000, maxHeaders: 20 }
/** Ends every line that is open, so that slow parsers, which judge whole lines, have something to judge. */
const ENDING = '\n\r\n\r\n\n'

/** What is wrong with how these bytes are read; `undefined`: nothing. `seen` is told each difference that is explained. */
export async function judge(
  text: string,
  cuts: readonly number[],
  node: NodeParser,
  seen: (name: string) => void,
): Promise<string | undefined> {
  const whole = text + ENDING
  return (
    faultInHead(whole, cuts) ??
    faultInResponse(whole, cuts) ??
    faultInChunks(whole, cuts) ??
    faultInPrefixes(text) ??
    (await faultAgainstNode(`${text}\r\n\r\n`, cuts, node, seen))
  )
}

function faultInHead(text: string, cuts: readonly number[]): string | undefined {
  const head = referenceRequest(text, LIMITS)
  const wanted = head.kind === 'done' ? JSON.stringify([head.length, head.raw]) : faultOf(head)
  for (const ends of [[], cuts]) {
    const scan = new RequestScan(LIMITS)
    const got = inReads(text, ends, (bytes, to) => {
      const outcome = scan.scan(bytes, 0, to)
      if (outcome === INVALID) return scan.fault
      return outcome === DONE ? JSON.stringify([scan.headEnd, scan.rawRequest(bytes)]) : undefined
    })
    if (got !== wanted) return `request head: ${got} and not ${wanted}`
  }
  return undefined
}

function faultInResponse(text: string, cuts: readonly number[]): string | undefined {
  const head = referenceResponse(text, LIMITS)
  const wanted = head.kind === 'done' ? JSON.stringify([head.length, head.status, head.reason, head.fields]) : head.kind
  for (const ends of [[], cuts]) {
    const scan = new ResponseScan(LIMITS)
    const got = inReads(text, ends, (bytes, to) => {
      const outcome = scan.scan(bytes, 0, to)
      if (outcome === INVALID) return 'invalid'
      return outcome === DONE
        ? JSON.stringify([scan.headEnd, scan.status, scan.reason(bytes), scan.list(bytes)])
        : undefined
    })
    if (got !== wanted) return `response head: ${got} and not ${wanted}`
  }
  return undefined
}

/** Everything that could be a body in chunks: the whole input, and what stands behind its first head. */
function faultInChunks(text: string, cuts: readonly number[]): string | undefined {
  const behind = text.indexOf('\r\n\r\n') + 4
  for (const body of behind < 4 ? [text] : [text, text.slice(behind)]) {
    const read = referenceChunked(body, LIMITS)
    const wanted = read.kind === 'done' ? JSON.stringify([read.length, read.relayed, read.trailers]) : faultOf(read)
    for (const ends of [[], cuts]) {
      const got = readChunks(body, ends)
      if (got !== wanted) return `chunks: ${got} and not ${wanted}`
    }
  }
  return undefined
}

function readChunks(text: string, ends: readonly number[]): string {
  const body = new ChunkedBody(LIMITS)
  body.reset(true)
  let from = 0
  let relayed = ''
  return inReads(text, ends, (bytes, to) => {
    const end = body.read(bytes, from, to)
    from = to
    for (let run = 0; run < body.runCount; run += 1) {
      relayed += bytes.toString('latin1', body.runs[2 * run], body.runs[2 * run + 1])
    }
    if (body.fault) return body.fault
    return body.isEnded ? JSON.stringify([end, relayed, body.trailers]) : undefined
  })
}

/** A verdict of the two readers of first bytes must not change with what comes behind it. */
function faultInPrefixes(text: string): string | undefined {
  const bytes = Buffer.from(text.slice(0, 700), 'latin1')
  for (const [name, parse] of [
    ['PROXY header', parseProxyHeader],
    ['ClientHello', parseClientHello],
  ] as const) {
    let verdict: string | undefined
    for (let to = 0; to <= bytes.length; to += 1) {
      const parsed = parse(bytes, 0, to)
      if (verdict !== undefined && JSON.stringify(parsed) !== verdict) return `${name}: ${verdict} changed at ${to}`
      if (parsed.kind !== 'need-more') verdict = JSON.stringify(parsed)
    }
  }
  return undefined
}

async function faultAgainstNode(
  text: string,
  cuts: readonly number[],
  node: NodeParser,
  seen: (name: string) => void,
): Promise<string | undefined> {
  const ours = readOurs(text)
  const theirs = await node.read(text, cuts)
  const found = firstDifference(ours, theirs)
  if (!found) return undefined
  const difference = explain(found, text)
  if (!difference) {
    return `against Node, ${found.side} at ${found.at}: ${ours.messages.length} requests, "${ours.reason}" and not ${theirs.messages.length}, "${theirs.reason}"`
  }
  seen(difference.name)
  return undefined
}

/** What `read` says first of reads that end at `ends`; `need-more` where it says nothing. */
function inReads(
  text: string,
  ends: readonly number[],
  read: (bytes: Buffer, to: number) => string | undefined,
): string {
  const bytes = Buffer.from(text, 'latin1')
  for (const end of [...ends.filter((at) => at < text.length).toSorted((a, b) => a - b), text.length]) {
    const said = read(bytes, end)
    if (said !== undefined) return said
  }
  return 'need-more'
}

function faultOf(read: { readonly kind: string; readonly fault?: string }): string {
  return read.fault ?? read.kind
}
