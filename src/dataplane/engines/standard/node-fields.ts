// Heads and header lists as node:http gives and takes them.
import type { IncomingMessage, OutgoingMessage } from 'node:http'
import type { HeaderList } from '../../../http/header-list.ts'
import type { RawRequest } from '../../../http/request-check.ts'
import { forwardedTrailers } from '../../../http/trailers.ts'
import type { EngineSettings } from '../../engine.ts'

const LENGTH = 'content-length'
const DISPOSITION = 'content-disposition'
const OBS_TEXT = /[\x80-\xff]/

/**
 * A copy of `fields`, with `Content-Length` at the end where a `Content-Disposition` holds a byte above 0x7f: once
 * node:http knows a length it reads that one field as UTF-8, and other bytes than came would go out.
 */
export function nodeFields(fields: HeaderList): string[] {
  const copy = [...fields]
  const at = indexOfName(copy, LENGTH)
  const disposition = indexOfName(copy, DISPOSITION)
  if (at >= 0 && disposition > at && OBS_TEXT.test(copy[disposition + 1] ?? '')) copy.push(...copy.splice(at, 2))
  return copy
}

/** A request head as node:http hands it on. */
export function rawRequest({
  method = '',
  url,
  httpVersionMajor,
  httpVersionMinor,
  rawHeaders,
}: IncomingMessage): RawRequest {
  return {
    method,
    target: url ?? '',
    majorVersion: httpVersionMajor,
    minorVersion: httpVersionMinor,
    fields: rawHeaders,
  }
}

/** Adds the trailers of `raw` that go on to `message`; how many were dropped. */
export function addTrailers(message: OutgoingMessage, raw: HeaderList, settings: EngineSettings): number {
  const { fields, dropped } = forwardedTrailers(raw, settings.underscoreHeaders === 'keep')
  if (fields.length > 0) message.addTrailers(fields.map(([name, value]): [string, string] => [name, value]))
  return dropped
}

function indexOfName(fields: HeaderList, name: string): number {
  for (let at = 0; at < fields.length; at += 2) {
    const candidate = fields[at] ?? ''
    if (candidate.length === name.length && candidate.toLowerCase() === name) return at
  }
  return -1
}
