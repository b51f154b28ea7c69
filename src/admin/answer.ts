/** What a request to the admin listener is answered with. */
export interface Answer {
  readonly status: number
  readonly contentType: string
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A document. */
export function json(document: unknown, status = 200): Answer {
  return { status, contentType: 'application/json', body: `${JSON.stringify(document, undefined, 2)}\n` }
}

/** An error by RFC 9457; `more` are further members of the document. */
export function problem(status: number, detail: string, more: Readonly<Record<string, unknown>> = {}): Answer {
  const title = TITLES.get(status) ?? 'Error'
  const body = `${JSON.stringify({ type: 'about:blank', title, status, detail, ...more }, undefined, 2)}\n`
  return { status, contentType: 'application/problem+json', body }
}

const TITLES: ReadonlyMap<number, string> = new Map([
  [400, 'Bad Request'],
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [404, 'Not Found'],
  [405, 'Method Not Allowed'],
  [413, 'Content Too Large'],
  [500, 'Internal Server Error'],
  [502, 'Bad Gateway'],
  [503, 'Service Unavailable'],
  [504, 'Gateway Timeout'],
])
