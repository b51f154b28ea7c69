// Every annotation that Ramjet knows, in one list (R11-1). A key changes sides with the part that acts on it.
import { type AnnotationSpec, NONE, type Row } from './annotation-spec.ts'
import { NGINX_ROWS } from './nginx-keys.ts'
import { CLASS_ROWS, RAMJET_ROWS } from './ramjet-keys.ts'

export const NGINX_PREFIX = 'nginx.ingress.kubernetes.io/'
export const RAMJET_PREFIX = 'ramjet.dev/'

/** In the order of the documentation: class keys, ingress-nginx's, ours. */
export const ANNOTATIONS: readonly AnnotationSpec[] = [
  ...CLASS_ROWS.map((row) => specOf('', row)),
  ...NGINX_ROWS.map((row) => specOf(NGINX_PREFIX, row)),
  ...RAMJET_ROWS.map((row) => specOf(RAMJET_PREFIX, row)),
]

const BY_KEY: ReadonlyMap<string, AnnotationSpec> = new Map(ANNOTATIONS.map((spec) => [spec.key, spec]))

const ALIASES: ReadonlyMap<string, readonly AnnotationSpec[]> = Map.groupBy(
  ANNOTATIONS.filter(({ aliasOf }) => aliasOf !== undefined),
  ({ aliasOf }) => aliasOf ?? '',
)

/** The entry of a key with its prefix; `undefined` for one that is not in the list. */
export function findAnnotation(key: string): AnnotationSpec | undefined {
  return BY_KEY.get(key)
}

/** The key of the same name under the other prefix: the `ramjet.dev/` one rules where both are set (R11-47). */
export function twinOf(key: string): AnnotationSpec | undefined {
  if (key.startsWith(NGINX_PREFIX)) return findAnnotation(RAMJET_PREFIX + key.slice(NGINX_PREFIX.length))
  return key.startsWith(RAMJET_PREFIX) ? findAnnotation(NGINX_PREFIX + key.slice(RAMJET_PREFIX.length)) : undefined
}

/** The other spellings of a key, in order: read where the key itself says nothing (R11-90). */
export function aliasesOf(key: string): readonly AnnotationSpec[] {
  return ALIASES.get(key) ?? []
}

/** The keys that a person may write under a prefix, without it. */
export function namesUnder(prefix: string): readonly string[] {
  const written = ANNOTATIONS.filter(({ key, writtenByUs }) => key.startsWith(prefix) && !writtenByUs)
  return written.map(({ key }) => key.slice(prefix.length))
}

function specOf(prefix: string, [rule, name, type, defaultValue, scope, onBad, more]: Row): AnnotationSpec {
  return {
    key: prefix + name,
    rule,
    type,
    defaultValue: defaultValue === NONE ? undefined : defaultValue,
    nginxDefault: undefined,
    scope,
    onBad,
    valid: '',
    needs: undefined,
    aliasOf: undefined,
    tier: 1,
    built: false,
    guardsAccess: onBad === 'deny',
    offValues: [],
    writtenByUs: false,
    ...more,
  }
}
