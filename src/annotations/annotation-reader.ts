// How a family of annotations reads its keys (R11-7 to R11-13, R11-47).
//
// A family is one file with one function: it takes the reader, reads each of its keys once, with a parser of values.ts or
// of its own, and returns what they set; an absent member is not set. What the registry says of a key (class of a bad
// value, needs, twin) is done here, and so is every finding. A key of scope `host` or `backend` is read for the object
// by itself, which judges it; its text is then `kept` by the reader, the compiler gathers the texts of all objects that
// meet in a host or a Service port, each key by its oldest object (R11-15), and the same function reads those.
import { err, ok, type Result } from '../lib/result.ts'
import type { AnnotationFinding } from './annotation-finding.ts'
import type { AnnotationSpec, BadValue, Scope } from './annotation-spec.ts'
import { aliasesOf, findAnnotation, NGINX_PREFIX, RAMJET_PREFIX, twinOf } from './registry.ts'
import { isBlank, type Parser, shown } from './values.ts'

/** Characters of a value that are read (R11-7). */
export const MAX_VALUE_CHARS: number = 16 * 1024

/** The registry as a reader asks it. */
export interface KnownAnnotations {
  readonly find: (key: string) => AnnotationSpec | undefined
  readonly twin: (key: string) => AnnotationSpec | undefined
  /** Other spellings of a key, in order. */
  readonly aliases: (key: string) => readonly AnnotationSpec[]
}

const REGISTRY: KnownAnnotations = { find: findAnnotation, twin: twinOf, aliases: aliasesOf }

export class AnnotationReader {
  readonly #texts: ReadonlyMap<string, string>
  readonly #known: KnownAnnotations
  readonly #findings: AnnotationFinding[] = []
  readonly #kept = new Map<string, string>()
  readonly #closed = new Set<Scope>()

  constructor(texts: ReadonlyMap<string, string>, known: KnownAnnotations = REGISTRY) {
    this.#texts = texts
    this.#known = known
  }

  get findings(): readonly AnnotationFinding[] {
    return this.#findings
  }

  /** Scopes that a bad value of class `deny` closes. */
  get closed(): ReadonlySet<Scope> {
    return this.#closed
  }

  /** The texts of the keys of `scope` that were read and are good. */
  kept(scope: Scope): ReadonlyMap<string, string> {
    return new Map([...this.#kept].filter(([key]) => this.#known.find(key)?.scope === scope))
  }

  /** What `name` under `nginx.ingress.kubernetes.io/` says, as `parse` reads it. `undefined`: as if it were not there. */
  nginx<T>(name: string, parse: Parser<T>): T | undefined {
    return this.read(NGINX_PREFIX + name, parse)
  }

  /** The same of a key under `ramjet.dev/`. */
  ramjet<T>(name: string, parse: Parser<T>): T | undefined {
    return this.read(RAMJET_PREFIX + name, parse)
  }

  /** The same of a key with its prefix. A key that is not built is not read at all (R11-2). */
  read<T>(key: string, parse: Parser<T>): T | undefined {
    const spec = this.#known.find(key)
    if (!spec?.built) return undefined
    const text = this.#textOf(spec)
    if (text === undefined || this.#isShadowed(spec) || this.#lacksItsNeed(spec)) return undefined
    const value = readText(text, spec, parse)
    if (!value.ok) {
      this.reject(key, value.error)
      return undefined
    }
    this.#kept.set(key, text)
    return value.value
  }

  /**
   * The good entries of a list between commas or blanks, of which a bad one alone is dropped (R11-7, `per entry`), and
   * what comes after the first `max`.
   */
  entries<T>(key: string, parse: Parser<T>, max: number): readonly T[] | undefined {
    const texts = this.read(key, (text) => ok(text.split(/[\s,]+/).filter((entry) => entry !== '')))
    if (texts && texts.length > max) {
      const found = `${key} has ${texts.length} entries, and the first ${max} are read`
      this.#findings.push({ reason: 'InvalidAnnotation', key, found, effect: 'the others do nothing' })
    }
    return texts?.slice(0, max).flatMap((text) => {
      const entry = parse(text)
      if (entry.ok) return [entry.value]
      const found = `${key} has the entry ${shown(text)}, which ${entry.error}`
      this.#findings.push({ reason: 'InvalidAnnotation', key, found, effect: 'that entry does nothing' })
      return []
    })
  }

  /** Reports whether a key was read and is good, or its twin. */
  isSet(key: string): boolean {
    return this.#kept.has(key) || this.#kept.has(this.#known.twin(key)?.key ?? '')
  }

  /** Tells that the value of `key` is bad; `problem` is part of a sentence: `which ...` (R11-9, R11-13). */
  reject(key: string, problem: string): void {
    const spec = this.#known.find(key)
    if (!spec) return
    this.#kept.delete(key)
    if (spec.onBad === 'deny') this.#closed.add(spec.scope)
    const reason = spec.onBad === 'deny' ? 'AccessRuleInvalid' : 'InvalidAnnotation'
    const found = `${key} is ${shown(this.#textOf(spec) ?? '')}, which ${problem}`
    this.#findings.push({ reason, key, found, effect: badEffect(spec.onBad, spec.scope) })
  }

  /** Tells what a family found about a key of its own that is good as such. */
  note(finding: AnnotationFinding): void {
    this.#findings.push(finding)
  }

  #textOf({ key }: AnnotationSpec): string | undefined {
    // An alias counts only where the key itself says nothing (R11-90).
    for (const spelling of [key, ...this.#known.aliases(key).map((alias) => alias.key)]) {
      const text = this.#texts.get(spelling)
      if (text !== undefined && !isBlank(text)) return text.trim()
    }
    return undefined
  }

  #isShadowed({ key }: AnnotationSpec): boolean {
    const twin = key.startsWith(NGINX_PREFIX) ? this.#known.twin(key) : undefined
    if (!twin?.built || this.#textOf(twin) === undefined) return false
    const found = `${key} stands beside ${twin.key}`
    this.#findings.push({ reason: 'AnnotationShadowed', key, found, effect: `${twin.key} rules` })
    return true
  }

  #lacksItsNeed({ key, needs }: AnnotationSpec): boolean {
    if (needs === undefined || this.isSet(needs)) return false
    const found = `${key} needs ${needs}, which is not set or not valid`
    this.#findings.push({ reason: 'InvalidAnnotation', key, found, effect: 'it does nothing' })
    return true
  }
}

function readText<T>(text: string, { type }: AnnotationSpec, parse: Parser<T>): Result<T, string> {
  if (text.length > MAX_VALUE_CHARS) return err(`has more than ${MAX_VALUE_CHARS} characters`)
  const isOfLines = type === 'lines' || type === 'snippet'
  return !isOfLines && /[\r\n]/.test(text) ? err('has more than one line') : parse(text)
}

function badEffect(onBad: BadValue, scope: Scope): string {
  switch (onBad) {
    case 'default':
      return 'its default holds'
    case 'ignore':
      return 'it does nothing'
    case 'deny':
      return closedEffect(scope)
    case 'unclaimed':
      return 'the Ingress is not ours'
  }
}

/** What becomes of the routes in the scope of a guard that cannot act. */
export function closedEffect(scope: Scope): string {
  switch (scope) {
    case 'location':
      return 'every path of this Ingress answers 503'
    case 'host':
      return 'every path of its hosts answers 503, those of other Ingresses too'
    case 'backend':
      return 'every route to its Service ports answers 503, those of other Ingresses too'
    case 'ingress':
    case 'class':
      return 'it is not served'
  }
}
