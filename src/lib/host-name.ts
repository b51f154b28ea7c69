// The one form of a host, for rules, request authorities and SNI alike (R10-11): ASCII lower case, no port, no dot at
// the end. Whoever compares hosts takes it from here.
import { ipFamily, isIp } from './ip.ts'
import { err, ok, type Result } from './result.ts'

const MAX_HOST = 253
const MAX_LABEL = 63
const MAX_PORT = 65_535
const WILDCARD = '*.'

/**
 * The host of a rule in its one form: an exact name, or `*.` and at least one label (R10-9). The error is part of a
 * sentence that begins with the host.
 */
export function parseRuleHost(text: string): Result<string, string> {
  const isWildcard = text.startsWith(WILDCARD)
  const fault = faultInName(isWildcard ? text.slice(WILDCARD.length) : text)
  if (fault) return err(fault)
  if (text.length > MAX_HOST) return err(`has more than ${MAX_HOST} octets`)
  const host = text.toLowerCase()
  // `*.2.0.192` would take addresses, which only the catch-all does (R10-11).
  return isIp(isWildcard ? host.replace('*', '0') : host) ? err('is an IP address') : ok(host)
}

/**
 * The host that a request's authority (or SNI) names, in its one form; `''` where it names none. An IPv6 address keeps
 * its brackets. `undefined`: no valid host, to be answered 400.
 */
export function parseAuthority(text: string): string | undefined {
  if (text.startsWith('[')) return parseBracketed(text)
  const colon = text.indexOf(':')
  if (colon >= 0 && !isPort(text, colon + 1)) return undefined
  const host = colon < 0 ? text : text.slice(0, colon)
  if (host === '') return colon < 0 ? '' : undefined
  const name = host.endsWith('.') ? host.slice(0, -1) : host
  return name.length <= MAX_HOST && faultInName(name) === undefined ? name.toLowerCase() : undefined
}

/**
 * The host that a TLS client asks for by name, in the one form; `undefined` where it names none that can be asked for
 * so: no port and no address stands in a server name (RFC 6066, section 3; R21-5).
 */
export function parseServerName(text: string): string | undefined {
  if (text.includes(':')) return undefined
  const host = parseAuthority(text)
  return host === '' || host === undefined || isIp(host) ? undefined : host
}

/** The wildcard of one label that takes `name`, in the one form; of a name of one label, what no host is. */
export function wildcardOver(name: string): string {
  const dot = name.indexOf('.')
  return `*${dot > 0 ? name.slice(dot) : ''}`
}

function parseBracketed(text: string): string | undefined {
  const close = text.indexOf(']')
  if (close < 0 || ipFamily(text.slice(1, close)) !== 6) return undefined
  const rest = close + 1
  if (rest < text.length && (text[rest] !== ':' || !isPort(text, rest + 1))) return undefined
  return text.slice(0, rest).toLowerCase()
}

/** An empty port is one (RFC 3986, section 6.2.3). */
function isPort(text: string, start: number): boolean {
  if (text.length - start > 5) return false
  for (let index = start; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code < 0x30 || code > 0x39) return false
  }
  return Number(text.slice(start)) <= MAX_PORT
}

// Read before the name is lowered, because lowering makes a letter of what is none: U+212A, the Kelvin sign, is `k`.
// One pass and no split: this runs for the first request of every connection.
function faultInName(name: string): string | undefined {
  let labelStart = 0
  for (let index = 0; index <= name.length; index += 1) {
    const code = index < name.length ? name.charCodeAt(index) : 0x2e
    if (code === 0x2e) {
      if (index === labelStart) return 'has an empty label'
      if (index - labelStart > MAX_LABEL) return `has a label of more than ${MAX_LABEL} octets`
      labelStart = index + 1
    } else if (!isLabelCode(code)) return `has a character that no host name holds: "${name.charAt(index)}"`
  }
  return undefined
}

/** Letters, digits, `-`, and `_`, which no host name has by the book and many have in fact. */
function isLabelCode(code: number): boolean {
  const lower = code | 0x20
  return (lower >= 0x61 && lower <= 0x7a) || (code >= 0x30 && code <= 0x39) || code === 0x2d || code === 0x5f
}
