// The family "rewriting" (R11-40 to R11-49, R11-148, R11-149, R11-154).
import { parseRuleHost } from '../lib/host-name.ts'
import { err, ok } from '../lib/result.ts'
import type { AnnotationReader } from './annotation-reader.ts'
import { pathTemplate, readBracedTemplate, readNginxTemplate, urlTemplate, type WrittenTemplate } from './templates.ts'
import { type Parser, readBool } from './values.ts'

/** A rewrite as it was written: what it comes to depends on each path. */
export interface WrittenRewrite {
  /** With its prefix, for what is said about a path. */
  readonly key: string
  /** As it was written. */
  readonly text: string
  /** `redirect`: the client is sent to it. `whole`: it is the path. `matched`: on a Prefix it replaces what matched. */
  readonly effect: 'redirect' | 'whole' | 'matched'
  readonly template: WrittenTemplate
}

export interface RewriteSettings {
  /** How paths without type are read; `undefined`: by their characters (R11-45). */
  readonly useRegex: boolean | undefined
  readonly rewrite: WrittenRewrite | undefined
  readonly forwardedPrefix: { readonly key: string; readonly template: WrittenTemplate } | undefined
}

/** What holds for a whole host. */
export interface HostSettings {
  /** Where a request for exactly `/` is sent. */
  readonly appRoot: string | undefined
  /** Other names of the host, in their one form. */
  readonly aliases: readonly string[]
}

const NGINX_TARGET = 'nginx.ingress.kubernetes.io/rewrite-target'
const RAMJET_TARGET = 'ramjet.dev/rewrite-target'
export const APP_ROOT = 'nginx.ingress.kubernetes.io/app-root'
export const SERVER_ALIAS = 'nginx.ingress.kubernetes.io/server-alias'
const PREFIX_KEY = 'nginx.ingress.kubernetes.io/x-forwarded-prefix'

/** Each is a virtual host with all routes of its host, so that their number is a factor of every compile. */
export const MAX_ALIASES: number = 256

export function readRewriting(reader: AnnotationReader): RewriteSettings {
  // Both spellings are read, so that one which is shadowed is told of.
  const useRegex = [reader.ramjet('use-regex', readBool), reader.nginx('use-regex', readBool)]
  const rewrite = [reader.read(RAMJET_TARGET, readRamjetTarget), reader.read(NGINX_TARGET, readNginxTarget)]
  const prefix = reader.read(PREFIX_KEY, pathTemplate(readNginxTemplate))
  return {
    useRegex: firstOf(useRegex),
    rewrite: firstOf(rewrite),
    forwardedPrefix: prefix && { key: PREFIX_KEY, template: prefix },
  }
}

function firstOf<T>(values: readonly (T | undefined)[]): T | undefined {
  return values.find((value) => value !== undefined)
}

export function readHostSettings(reader: AnnotationReader): HostSettings {
  return {
    appRoot: reader.read(APP_ROOT, readPlainPath),
    aliases: reader.entries(SERVER_ALIAS, readHost, MAX_ALIASES) ?? [],
  }
}

const readNginxTarget: Parser<WrittenRewrite> = (text) => {
  const isUrl = /^https?:\/\//i.test(text)
  const template = (isUrl ? urlTemplate : pathTemplate)(readNginxTemplate)(text)
  if (!template.ok) return template
  return ok({ key: NGINX_TARGET, text, effect: isUrl ? 'redirect' : 'whole', template: template.value })
}

const readRamjetTarget: Parser<WrittenRewrite> = (text) => {
  const template = pathTemplate(readBracedTemplate)(text)
  return template.ok ? ok({ key: RAMJET_TARGET, text, effect: 'matched', template: template.value }) : template
}

const readHost: Parser<string> = parseRuleHost

const readPlainPath: Parser<string> = (text) => {
  const template = pathTemplate(readNginxTemplate)(text)
  if (!template.ok) return template
  const [path] = template.value
  return template.value.length === 1 && typeof path === 'string' ? ok(path) : err('has a capture, and there is none')
}
