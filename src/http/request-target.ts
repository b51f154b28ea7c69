// The forms of a request target (RFC 9112, section 3.2) and what each names.

export type RequestTarget =
  | {
      readonly kind: 'path'
      /** Begins with `/`; not yet canonical. */
      readonly path: string
      /** With its `?`; empty where there is none. */
      readonly query: string
      /** Of an absolute-form target; `undefined` in origin-form. */
      readonly authority: string | undefined
    }
  | { readonly kind: 'asterisk' }
  | { readonly kind: 'invalid' }

const ASTERISK: RequestTarget = { kind: 'asterisk' }
const INVALID: RequestTarget = { kind: 'invalid' }
const SCHEME = 'http://'

/**
 * Takes a target apart. `invalid`, to be answered 400: any other form (authority-form belongs to CONNECT, which is
 * refused before), a scheme that is not `http` on this plaintext listener, user information, a fragment, white space,
 * a control character or a byte above 0x7e (RFC 3986, section 2). What a path may hold beyond that is for lib/request-path.ts.
 */
export function parseRequestTarget(target: string): RequestTarget {
  if (target === '*') return ASTERISK
  if (holdsFault(target)) return INVALID
  if (target.startsWith('/')) return splitQuery(target, undefined)
  return target.slice(0, SCHEME.length).toLowerCase() === SCHEME ? parseAbsolute(target) : INVALID
}

function parseAbsolute(target: string): RequestTarget {
  const rest = target.slice(SCHEME.length)
  const end = rest.search(/[/?]/)
  const authority = end < 0 ? rest : rest.slice(0, end)
  if (authority === '' || authority.includes('@')) return INVALID
  const path = end < 0 ? '' : rest.slice(end)
  return splitQuery(path.startsWith('/') ? path : `/${path}`, authority)
}

function splitQuery(text: string, authority: string | undefined): RequestTarget {
  const mark = text.indexOf('?')
  if (mark < 0) return { kind: 'path', path: text, query: '', authority }
  return { kind: 'path', path: text.slice(0, mark), query: text.slice(mark), authority }
}

// A fragment is never sent (RFC 9110, section 7.1): who forwards one lets the next hop cut the target elsewhere.
function holdsFault(target: string): boolean {
  for (let index = 0; index < target.length; index += 1) {
    const code = target.charCodeAt(index)
    if (code <= 0x20 || code === 0x23 || code >= 0x7f) return true
  }
  return false
}
