// The annotations of one Ingress -> what they do in this build and what must be told about them.
import { nearest } from '../lib/edit-distance.ts'
import type { AnnotationFinding } from './annotation-finding.ts'
import { AnnotationReader, closedEffect } from './annotation-reader.ts'
import type { AnnotationSpec } from './annotation-spec.ts'
import { readBackendSettings } from './backend-settings.ts'
import { readHandshakes } from './host-tls.ts'
import { type HttpsDemand, readHttpsDemand } from './https-redirects.ts'
import { findNeverKey, type NeverKey } from './never-keys.ts'
import { findAnnotation, NGINX_PREFIX, namesUnder, RAMJET_PREFIX } from './registry.ts'
import { type RewriteSettings, readHostSettings, readRewriting } from './rewriting.ts'
import { readTimeouts, type TimeoutSettings } from './timeouts.ts'
import { readUpstreamSettings } from './upstream-security.ts'
import { isBlank, parseBool } from './values.ts'

/** How far the guards reach that are asked for and cannot act: all in such a scope answers 503 (R11-9, R11-163). */
export interface ClosedScopes {
  readonly location: boolean
  readonly host: boolean
  readonly backend: boolean
}

/** What holds for the paths of the object and for no other. */
export interface LocationSettings {
  readonly timeouts: TimeoutSettings
  readonly rewriting: RewriteSettings
  /** When clients are sent to https; `undefined`: never. */
  readonly https: HttpsDemand | undefined
}

export interface ParsedAnnotations {
  readonly location: LocationSettings
  /** Good texts of the keys that reach a whole host: who else names it may have set them before (R11-15). */
  readonly hostTexts: ReadonlyMap<string, string>
  /** The same of the keys that reach a Service port. */
  readonly backendTexts: ReadonlyMap<string, string>
  readonly closed: ClosedScopes
  /** A canary. This build has no canaries, and serving one as an ordinary Ingress would send it all traffic. */
  readonly isCanary: boolean
  /** One for each key that does not act, those of the registry first; at most 21 for all others. */
  readonly findings: readonly AnnotationFinding[]
}

const CANARY_KEY = `${NGINX_PREFIX}canary`
const CANARY_EFFECT = 'this canary takes no traffic'
const MAX_SHOWN_KEY = 120
/** Keys outside the registry are told one by one up to here: an object may hold thousands, and each is a log record. */
const MAX_OTHERS_TOLD = 20

/** Reads what stands on one object of `namespace`. Total: any text may be a key or a value. */
export function parseAnnotations(annotations: ReadonlyMap<string, string>, namespace: string): ParsedAnnotations {
  const present = [...annotations].filter(([, value]) => !isBlank(value)).toSorted(([a], [b]) => (a < b ? -1 : 1))
  const isCanary = parseBool(annotations.get(CANARY_KEY) ?? '') === true
  const guards = present.flatMap(([key, value]) => {
    const spec = findAnnotation(key)
    // A canary guards nobody else's paths (R11-16), and it has none of its own here.
    return spec && !isCanary && isUnbuiltGuard(spec, value) ? [spec] : []
  })
  // Of a canary all else does nothing (R11-16).
  const reader = new AnnotationReader(isCanary ? new Map() : annotations)
  const location = {
    timeouts: readTimeouts(reader),
    rewriting: readRewriting(reader),
    https: readHttpsDemand(reader),
  }
  readHostSettings(reader)
  readHandshakes(reader)
  readBackendSettings(reader)
  readUpstreamSettings(reader, namespace)
  const closing = new Set([...guards.map(({ scope }) => scope), ...reader.closed])
  const known = [...present.flatMap(([key, value]) => judgeKnown(key, value, isCanary) ?? []), ...reader.findings]
  return {
    location,
    hostTexts: reader.kept('host'),
    backendTexts: reader.kept('backend'),
    closed: { location: closing.has('location'), host: closing.has('host'), backend: closing.has('backend') },
    isCanary,
    findings: [
      ...known.toSorted((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key))),
      ...judgeOthers(present.flatMap(([key]) => (isForeign(key) ? [key] : []))),
    ],
  }
}

/** Reports whether this value asks for a guard that this build lacks. */
function isUnbuiltGuard(spec: AnnotationSpec, value: string): boolean {
  return spec.guardsAccess && !spec.built && !isOff(spec, value)
}

function isOff({ offValues, type }: AnnotationSpec, value: string): boolean {
  const text = value.trim().toLowerCase()
  // A limit of +00 is 0 as well: what counts is the number.
  return offValues.includes(type === 'int' && /^[+-]?0+$/.test(text) ? '0' : text)
}

/** Reports whether a key has one of our prefixes and no row in the registry. */
function isForeign(key: string): boolean {
  return (key.startsWith(RAMJET_PREFIX) || key.startsWith(NGINX_PREFIX)) && findAnnotation(key) === undefined
}

function judgeKnown(key: string, value: string, isCanary: boolean): AnnotationFinding | undefined {
  const spec = findAnnotation(key)
  if (!spec || spec.built || spec.writtenByUs) return undefined
  const found = `${key} is not in this build`
  if (isUnbuiltGuard(spec, value) && !isCanary) {
    return { reason: 'AccessRuleInvalid', key, found: `${found} and guards access`, effect: closedEffect(spec.scope) }
  }
  const isMark = key === CANARY_KEY && isCanary
  return { reason: 'UnsupportedAnnotation', key, found, effect: isMark ? CANARY_EFFECT : 'it does nothing' }
}

/** Those that change who may get in come first, so that no flood of others hides them. */
function judgeOthers(keys: readonly string[]): AnnotationFinding[] {
  const inOrder = [...keys.filter(changesAccess), ...keys.filter((key) => !changesAccess(key))]
  const told = inOrder.slice(0, MAX_OTHERS_TOLD).map(judgeOther)
  const [next] = inOrder.slice(MAX_OTHERS_TOLD)
  if (next === undefined) return told
  const found = `${inOrder.length - MAX_OTHERS_TOLD} more keys, ${clip(next)} the first of them, are not read either`
  return [...told, { ...judgeOther(next), found, effect: 'they do nothing' }]
}

function judgeOther(key: string): AnnotationFinding {
  return key.startsWith(RAMJET_PREFIX) ? unknownOfOurs(key) : notOfNginx(key)
}

function neverKeyOf(key: string): NeverKey | undefined {
  return key.startsWith(NGINX_PREFIX) ? findNeverKey(key.slice(NGINX_PREFIX.length)) : undefined
}

function changesAccess(key: string): boolean {
  return neverKeyOf(key)?.changesAccess ?? false
}

function unknownOfOurs(key: string): AnnotationFinding {
  const like = nearest(key.slice(RAMJET_PREFIX.length, MAX_SHOWN_KEY), namesUnder(RAMJET_PREFIX))
  const hint = like === undefined ? '' : ` (${RAMJET_PREFIX}${like} is one)`
  return {
    reason: 'UnknownAnnotation',
    key,
    found: `${clip(key)} is no annotation of Ramjet's${hint}`,
    effect: 'it does nothing',
  }
}

function notOfNginx(key: string): AnnotationFinding {
  const never = neverKeyOf(key)
  const why = never?.why ?? 'neither Ramjet nor ingress-nginx knows it'
  const access = never?.changesAccess === true ? ', although it changes who may get in' : ''
  return {
    reason: 'UnsupportedAnnotation',
    key,
    found: `${clip(key)} is not supported: ${why}`,
    effect: `it does nothing${access}`,
  }
}

function clip(key: string): string {
  return key.length > MAX_SHOWN_KEY ? `${key.slice(0, MAX_SHOWN_KEY)}...` : key
}
