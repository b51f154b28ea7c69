// Balancing policies and hash keys as people write them: in annotations, in routes files, for a class (R20-138, R20-139).
import { isToken } from '../lib/field-names.ts'
import { err, ok, type Result } from '../lib/result.ts'
import type { BalancingPolicy, HashKey, HashVariable } from './route-table.ts'

type PlainPolicy = Exclude<BalancingPolicy, object>

// With the short names of other programs.
const POLICIES: ReadonlyMap<string, PlainPolicy | 'hash'> = new Map([
  ['roundRobin', 'roundRobin'],
  ['round_robin', 'roundRobin'],
  ['rr', 'roundRobin'],
  ['leastConn', 'leastConn'],
  ['lc', 'leastConn'],
  ['random', 'random'],
  ['p2c', 'random'],
  ['ewma', 'ewma'],
  ['lt', 'ewma'],
  ['hash', 'hash'],
  ['hrw', 'hash'],
])
const PLAIN_VARIABLES: ReadonlyMap<string, HashVariable> = new Map([
  ['request_uri', { kind: 'requestUri' }],
  ['uri', { kind: 'uri' }],
  ['remote_addr', { kind: 'remoteAddr' }],
  ['host', { kind: 'host' }],
])
const KEY_WORDS: ReadonlyMap<string, HashVariable> = new Map([
  ['client_ip', { kind: 'remoteAddr' }],
  ['host', { kind: 'host' }],
])
const VARIABLE = /\$(?:\{(\w+)\}|(\w+)|)/
const NAMED_VARIABLE = /^(http|cookie|arg)_(\w+)$/
const NAMED_WORD = /^(header|cookie|query):(.+)$/
const MAX_PARTS = 32

/** The key where a hash is asked for and nobody says of what: the client's address. */
export const DEFAULT_HASH_KEY: HashKey = [{ kind: 'remoteAddr' }]

/**
 * The policy that `text` names, such as `leastConn`, `hash:$cookie_user` or `hrw:header:x-user`. `defaultKey`: the key of
 * a hash that names none. The error is part of a sentence: `which ...`.
 */
export function parseBalancingPolicy(
  text: string,
  defaultKey: HashKey = DEFAULT_HASH_KEY,
): Result<BalancingPolicy, string> {
  const colon = text.indexOf(':')
  const policy = POLICIES.get(colon < 0 ? text : text.slice(0, colon))
  if (policy === undefined) return err(`is none of ${[...new Set(POLICIES.values())].join(', ')}`)
  if (policy !== 'hash') return colon < 0 ? ok(policy) : err(`has a key, and ${policy} takes none`)
  if (colon < 0) return ok({ kind: 'hash', key: defaultKey })
  const key = parseHashKey(text.slice(colon + 1))
  return key.ok ? ok({ kind: 'hash', key: key.value }) : key
}

/**
 * The key that `text` describes: variables such as `$uri` or `${http_x_user}`, alone or mixed with text; or one of
 * `client_ip`, `host`, `header:NAME`, `cookie:NAME` and `query:NAME`. The error is part of a sentence: `which ...`.
 */
export function parseHashKey(text: string): Result<HashKey, string> {
  if (text.includes('$')) return parseHashText(text)
  const plain = KEY_WORDS.get(text)
  if (plain) return ok([plain])
  const [, kind = '', name = ''] = NAMED_WORD.exec(text) ?? []
  const variable = isToken(name) ? namedVariable(kind, name) : undefined
  return variable ? ok([variable]) : err('names no variable to hash by')
}

/** The key of a text with variables, of which it must have one. The error is part of a sentence: `which ...`. */
export function parseHashText(text: string): Result<HashKey, string> {
  if (!text.includes('$')) return err('names no variable to hash by')
  const key: (string | HashVariable)[] = []
  let rest = text
  for (let found = VARIABLE.exec(rest); found; found = VARIABLE.exec(rest)) {
    const [whole, braced, bare] = found
    const variable = variableOf(braced ?? bare ?? '')
    if (!variable) return err(`has ${JSON.stringify(whole)}, which is no variable to hash by`)
    if (found.index > 0) key.push(rest.slice(0, found.index))
    key.push(variable)
    rest = rest.slice(found.index + whole.length)
  }
  if (rest !== '') key.push(rest)
  return key.length > MAX_PARTS ? err(`has more than ${MAX_PARTS} parts`) : ok(key)
}

function variableOf(name: string): HashVariable | undefined {
  const [, kind = '', rest = ''] = NAMED_VARIABLE.exec(name) ?? []
  switch (kind) {
    case 'http':
      // As nginx names fields: no other character of a name can stand in a variable.
      return namedVariable('header', rest.replaceAll('_', '-'))
    case 'arg':
      return namedVariable('query', rest)
    case 'cookie':
      return namedVariable('cookie', rest)
    default:
      return PLAIN_VARIABLES.get(name)
  }
}

function namedVariable(kind: string, name: string): HashVariable | undefined {
  switch (kind) {
    case 'header':
      return { kind, name: name.toLowerCase() }
    case 'cookie':
    case 'query':
      return { kind, name }
    default:
      return undefined
  }
}

/** The policy as it may be written again. */
export function formatBalancingPolicy(policy: BalancingPolicy): string {
  return typeof policy === 'string' ? policy : `hash:${formatHashKey(policy.key)}`
}

function formatHashKey(key: HashKey): string {
  const [only, ...others] = key
  // A name may have characters that no variable can have.
  if (typeof only === 'object' && 'name' in only && others.length === 0) return `${only.kind}:${only.name}`
  return key.map((part, at) => (typeof part === 'string' ? part : formatVariable(nameOf(part), key[at + 1]))).join('')
}

function formatVariable(name: string, next: HashKey[number] | undefined): string {
  const runsOn = typeof next === 'string' && /^\w/.test(next)
  return runsOn ? `\${${name}}` : `$${name}`
}

function nameOf(variable: HashVariable): string {
  switch (variable.kind) {
    case 'requestUri':
      return 'request_uri'
    case 'remoteAddr':
      return 'remote_addr'
    case 'uri':
    case 'host':
      return variable.kind
    case 'header':
      return `http_${variable.name.replaceAll('-', '_')}`
    case 'cookie':
      return `cookie_${variable.name}`
    case 'query':
      return `arg_${variable.name}`
  }
}
