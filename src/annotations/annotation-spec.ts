/** What a value must be. */
export type ValueType =
  | 'bool'
  | 'int'
  | 'secs'
  | 'size'
  | 'duration'
  | 'cidrs'
  | 'header'
  | 'headers'
  | 'cookie'
  | 'host'
  | 'hosts'
  | 'path'
  | 'url'
  | 'text'
  | 'variables'
  | 'pattern'
  | 'object'
  | 'word'
  | 'words'
  | 'lines'
  | 'snippet'

/**
 * How far a key reaches (R11-15). `location`: the paths of its Ingress. `host`: every path of each host that its
 * Ingress names. `backend`: the Service ports that its Ingress names, for all routes to them. `ingress` and `class`:
 * the object as such.
 */
export type Scope = 'location' | 'host' | 'backend' | 'ingress' | 'class'

/**
 * What a bad value does (R11-9). `default`: as if the key were absent. `ignore`: its feature is off. `deny`: each path
 * in its scope answers 503. `unclaimed`: the Ingress is not ours.
 */
export type BadValue = 'default' | 'ignore' | 'deny' | 'unclaimed'

/** One annotation that Ramjet knows. */
export interface AnnotationSpec {
  /** With its prefix. */
  readonly key: string
  /** The rule that owns it. */
  readonly rule: string
  readonly type: ValueType
  /** What holds where the key is absent; `undefined`: its feature is off. */
  readonly defaultValue: string | undefined
  /** The same in the nginx dialect, where it differs. */
  readonly nginxDefault: string | undefined
  readonly scope: Scope
  readonly onBad: BadValue
  /** What is valid beyond the type: words, ranges. Empty where the type says all. */
  readonly valid: string
  /** The key without which this one does nothing, with its prefix. */
  readonly needs: string | undefined
  /** The key of which this one is another spelling, with its prefix. */
  readonly aliasOf: string | undefined
  /** 1 comes first in time. */
  readonly tier: 1 | 2
  /** Whether this build acts on it. */
  readonly built: boolean
  /** Whether it decides who may get in: unbuilt, it closes its scope (R11-163). */
  readonly guardsAccess: boolean
  /** Values by which a guard says that it is off. */
  readonly offValues: readonly string[]
  /** Written by Ramjet itself and never read as a wish (R11-156). */
  readonly writtenByUs: boolean
}

/** A row of one of the tables: the usual fields in order, the others by name. */
export type Row = readonly [
  rule: string,
  name: string,
  type: ValueType,
  defaultValue: string,
  scope: Scope,
  onBad: BadValue,
  more?: Partial<AnnotationSpec>,
]

/** What a table writes where there is no default. */
export const NONE = '-'
