// Every answer that is ours and not an upstream's, the same bytes from every engine (R20-61 to R20-72).

import { grpcMessage, grpcStatusOf } from '../http/grpc.ts'
import type { HeaderList } from '../http/header-list.ts'
import { connectionField } from '../http/response-head.ts'
import { isFieldValue, isToken } from '../lib/field-names.ts'
import type { RedirectStatus } from '../model/route-table.ts'
import type { AnswerReason } from '../router/decision.ts'

export type AnswerName =
  | AnswerReason
  | 'malformed'
  | 'plaintext-to-tls'
  | 'method-not-allowed'
  | 'connect-refused'
  | 'head-too-slow'
  | 'body-too-slow'
  | 'body-too-large'
  | 'head-too-large'
  | 'too-many-fields'
  | 'coding-not-implemented'
  | 'protocol-not-implemented'
  | 'misdirected'
  | 'no-connection'
  | 'upstream-fault'
  | 'no-endpoint'
  | 'over-budget'
  | 'grpc-needs-http2'
  | 'connect-timeout'
  | 'response-timeout'
  | 'version-not-supported'

export interface OwnAnswer {
  readonly status: number
  readonly reason: string
  /** The fields that belong to the answer itself: type, length, and what its status needs. */
  readonly fields: HeaderList
  readonly body: Buffer
  /** Whether the client's connection ends with it in any case. */
  readonly closes: boolean
}

/** What an answer depends on besides its name. */
export interface AnswerUse {
  readonly closes: boolean
  /** 0 for an HTTP/1.0 client. */
  readonly clientMinorVersion: number
  /** The value of the `Date` field. */
  readonly date: string
}

interface Shape {
  readonly status: number
  readonly reason: string
  readonly sentence: string
  readonly closes?: boolean
  readonly fields?: HeaderList
}

const RETRY: HeaderList = ['Retry-After', '1']
const ALLOW: HeaderList = ['Allow', 'GET, HEAD, POST, PUT, DELETE, PATCH, OPTIONS']

const SHAPES: Readonly<Record<AnswerName, Shape>> = {
  malformed: { status: 400, reason: 'Bad Request', sentence: 'the request is malformed.', closes: true },
  'plaintext-to-tls': {
    status: 400,
    reason: 'Bad Request',
    sentence: 'plain HTTP was sent to a port for TLS.',
    closes: true,
  },
  'no-route': { status: 404, reason: 'Not Found', sentence: 'no route takes this host and path.' },
  'method-not-allowed': {
    status: 405,
    reason: 'Method Not Allowed',
    sentence: 'this method is not served here.',
    fields: ALLOW,
  },
  'connect-refused': {
    status: 405,
    reason: 'Method Not Allowed',
    sentence: 'this method is not served here.',
    fields: ALLOW,
    closes: true,
  },
  'head-too-slow': {
    status: 408,
    reason: 'Request Timeout',
    sentence: 'the request head did not arrive in time.',
    closes: true,
  },
  'body-too-slow': {
    status: 408,
    reason: 'Request Timeout',
    sentence: 'the request body did not arrive in time.',
    closes: true,
  },
  'body-too-large': {
    status: 413,
    reason: 'Content Too Large',
    sentence: 'the request body is larger than this route takes.',
    closes: true,
  },
  'target-too-long': { status: 414, reason: 'URI Too Long', sentence: 'the request target is too long.', closes: true },
  'head-too-large': {
    status: 431,
    reason: 'Request Header Fields Too Large',
    sentence: 'the request head is too large.',
    closes: true,
  },
  'too-many-fields': {
    status: 431,
    reason: 'Request Header Fields Too Large',
    sentence: 'the request has too many fields.',
    closes: true,
  },
  'coding-not-implemented': {
    status: 501,
    reason: 'Not Implemented',
    sentence: 'this transfer coding is not served here.',
    closes: true,
  },
  misdirected: {
    status: 421,
    reason: 'Misdirected Request',
    sentence: 'this connection is not for this host.',
    closes: true,
  },
  'protocol-not-implemented': {
    status: 501,
    reason: 'Not Implemented',
    sentence: 'this protocol is not served here.',
  },
  'no-connection': { status: 502, reason: 'Bad Gateway', sentence: 'no endpoint took the connection.' },
  'upstream-fault': { status: 502, reason: 'Bad Gateway', sentence: 'the upstream gave no valid response.' },
  // The one answer to gRPC that a person is to read, and not a client (R22-24).
  'grpc-needs-http2': {
    status: 502,
    reason: 'Bad Gateway',
    sentence: 'gRPC requires an HTTP/2 backend; set nginx.ingress.kubernetes.io/backend-protocol: GRPC on the Ingress',
    fields: ['x-ramjet-unsupported', 'grpc-needs-backend-protocol'],
  },
  'no-endpoint': {
    status: 503,
    reason: 'Service Unavailable',
    sentence: 'the service has no endpoint at the moment.',
    fields: RETRY,
  },
  'over-budget': {
    status: 503,
    reason: 'Service Unavailable',
    sentence: 'too many bytes wait to be sent at the moment.',
    fields: RETRY,
  },
  'unresolved-service': {
    status: 503,
    reason: 'Service Unavailable',
    sentence: 'the service of this route, or its port, does not exist.',
  },
  'unsupported-backend': {
    status: 503,
    reason: 'Service Unavailable',
    sentence: 'the backend of this route is of a kind that is not supported.',
  },
  'external-name': {
    status: 503,
    reason: 'Service Unavailable',
    sentence: 'the service of this route is outside the cluster, which is not allowed here.',
  },
  'access-rule': {
    status: 503,
    reason: 'Service Unavailable',
    sentence: 'an access rule of this route cannot be applied.',
  },
  'connect-timeout': { status: 504, reason: 'Gateway Timeout', sentence: 'no endpoint took the connection in time.' },
  'response-timeout': { status: 504, reason: 'Gateway Timeout', sentence: 'the upstream did not respond in time.' },
  'version-not-supported': {
    status: 505,
    reason: 'HTTP Version Not Supported',
    sentence: 'this version of HTTP is not served here.',
    closes: true,
  },
}

/** `grpc`: to a request whose content type is of gRPC, by trailers alone, which stand where the fields do (R22-26). */
export type AnswerForm = 'text' | 'grpc'

/** The answer of this name. */
export function ownAnswer(name: AnswerName, form: AnswerForm = 'text'): OwnAnswer {
  const shape = SHAPES[name]
  return form === 'text' || name === 'grpc-needs-http2' ? answerOf(shape) : trailersOnly(shape)
}

function trailersOnly({ status, reason, sentence, closes = false }: Shape): OwnAnswer {
  return {
    status: 200,
    reason: 'OK',
    fields: [
      'Server',
      'ramjet',
      'Content-Type',
      'application/grpc',
      'Content-Length',
      '0',
      'grpc-status',
      String(grpcStatusOf(status)),
      'grpc-message',
      grpcMessage(`${status} ${reason}: ${sentence}`),
    ],
    body: Buffer.alloc(0),
    closes,
  }
}

const REDIRECTS: Readonly<Record<RedirectStatus, string>> = {
  301: 'Moved Permanently',
  302: 'Found',
  303: 'See Other',
  307: 'Temporary Redirect',
  308: 'Permanent Redirect',
}

/** The answer that sends a client to `location`, which must be fit to stand in a field. */
export function redirectAnswer(status: RedirectStatus, location: string): OwnAnswer {
  const fields = ['Location', location]
  return answerOf({ status, reason: REDIRECTS[status], sentence: 'what was asked for is elsewhere.', fields })
}

function answerOf({ status, reason, sentence, closes = false, fields = [] }: Shape): OwnAnswer {
  const body = Buffer.from(`${status} ${reason}: ${sentence}\n`)
  return {
    status,
    reason,
    fields: [
      'Server',
      'ramjet',
      'Content-Type',
      'text/plain; charset=utf-8',
      'Content-Length',
      String(body.length),
      ...fields,
    ],
    body,
    closes,
  }
}

/** All fields of the answer's head, in the order in which they are written. */
export function answerFields(answer: OwnAnswer, use: AnswerUse): HeaderList {
  const connection = connectionField({ ...use, closes: use.closes || answer.closes }, 'length')
  return [...answer.fields, ...connection, 'Date', use.date]
}

/** The whole answer as bytes, for where no HTTP machinery stands on the socket any more. */
export function answerBytes(answer: OwnAnswer, use: AnswerUse): Buffer {
  return Buffer.concat([headBytes(answer.status, answer.reason, answerFields(answer, use)), answer.body])
}

/** A response head as bytes. Fields that could not stand on one line are left out (R20-47). */
export function headBytes(status: number, reason: string, fields: HeaderList): Buffer {
  let head = `HTTP/1.1 ${status} ${isFieldValue(reason) ? reason : ''}\r\n`
  for (let at = 0; at < fields.length; at += 2) {
    const name = fields[at] ?? ''
    const value = fields[at + 1] ?? ''
    if (isToken(name) && isFieldValue(value)) head += `${name}: ${value}\r\n`
  }
  return Buffer.from(`${head}\r\n`, 'latin1')
}
