import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Answer } from './answer.ts'

export type AdminMethod = 'GET' | 'POST' | 'DELETE'

/** A request that passed the guard and whose query has known names alone. */
export interface AdminRequest {
  readonly query: URLSearchParams
  /** Empty where there is none. */
  readonly body: string
  readonly incoming: IncomingMessage
  readonly response: ServerResponse
}

/** `taken`: the response is written by somebody else. */
export type Handled = Answer | 'taken'
export type Handler = (request: AdminRequest) => Handled | Promise<Handled>

/** One path of the admin listener. */
export interface AdminPath {
  /** Probes are open to everybody, always (R32-2). */
  readonly isProbe?: boolean
  /** Names of parameters that are read; `undefined`: whatever stands there is somebody else's. */
  readonly query: readonly string[] | undefined
  /** `GET` takes `HEAD` as well. */
  readonly methods: Readonly<Partial<Record<AdminMethod, Handler>>>
}

/** The method of a request, if its path takes it; `undefined`: it does not. */
export function methodOf(path: AdminPath, method: string | undefined): AdminMethod | undefined {
  if (method === 'HEAD' && path.methods.GET) return 'GET'
  return METHODS.find((known) => known === method && path.methods[known])
}

/** The value of `Allow` (RFC 9110, section 10.2.1). */
export function allowedMethods({ methods }: AdminPath): string {
  return METHODS.flatMap((method) => {
    if (!methods[method]) return []
    return method === 'GET' ? ['GET', 'HEAD'] : [method]
  }).join(', ')
}

/** What is wrong with the names in a query; `undefined`: nothing. */
export function faultInQuery(path: AdminPath, query: URLSearchParams): string | undefined {
  const { query: known } = path
  if (known === undefined) return undefined
  const takes = known.length === 0 ? 'no parameter' : known.join(', ')
  for (const name of new Set(query.keys())) {
    if (!known.includes(name)) return `unknown parameter "${name.slice(0, 100)}"; this path takes ${takes}`
    if (query.getAll(name).length > 1 && name !== 'header') return `"${name}" is given twice`
  }
  return undefined
}

const METHODS: readonly AdminMethod[] = ['GET', 'POST', 'DELETE']
