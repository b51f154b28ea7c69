import type { AnnotationSpec, BadValue, Scope, ValueType } from '../../src/annotations/annotation-spec.ts'
import { NEVER_KEYS } from '../../src/annotations/never-keys.ts'
import { ANNOTATIONS } from '../../src/annotations/registry.ts'
import { MEANINGS } from './annotation-meanings.ts'
import { code, markdownTable, type Page } from './markdown.ts'

const INTRODUCTION = `
What this build does with the annotations of an Ingress or an IngressClass. Nothing that is written there is ignored in silence:
a key under \`nginx.ingress.kubernetes.io/\` or \`ramjet.dev/\` either acts, closes what it guards, or is reported
(see [warnings](warnings.md)). Keys under other prefixes belong to other programs and are not looked at.
`

const GUARDS = `
These decide who may get in, and this build cannot enforce them. So what they guard answers **503**, and the Ingress is told
\`AccessRuleInvalid\`. Nobody gets in unguarded. A value that says "off" closes nothing.
`

const WITHOUT_EFFECT = `
Not in this build. They do nothing, and the Ingress is told \`UnsupportedAnnotation\`. An Ingress with \`canary: "true"\` takes no
traffic at all: to serve it as an ordinary Ingress would send it everybody.
`

const NEVER = `
Ramjet will not read these; the Ingress is told \`UnsupportedAnnotation\`. A star stands for any ending.
`

const UNKNOWN = `
Any other key under \`ramjet.dev/\` is told \`UnknownAnnotation\`, with the nearest name that exists. Any other key under
\`nginx.ingress.kubernetes.io/\` is told \`UnsupportedAnnotation\`.
`

const SCOPES: Readonly<Record<Scope, string>> = {
  location: 'the paths of its Ingress',
  host: 'every path of the hosts that its Ingress names',
  backend: 'every route to the Service ports that its Ingress names',
  ingress: 'its Ingress',
  class: 'its IngressClass',
}

const BAD: Readonly<Record<BadValue, string>> = {
  default: 'the default holds',
  ignore: 'it does nothing',
  deny: 'what it guards answers 503',
  unclaimed: 'the Ingress is not ours',
}

const TYPES: Readonly<Record<ValueType, string>> = {
  bool: '`true` or `false`',
  int: 'a whole number',
  secs: '',
  size: 'a size: digits with `b`, `k`, `m`, `g` or none',
  duration: 'a duration: a number with `ms`, `s`, `m` or `h`',
  cidrs: 'addresses and CIDRs between commas',
  header: 'the name of a field',
  headers: 'names of fields',
  cookie: 'the name of a cookie',
  host: 'a host',
  hosts: '',
  path: '',
  url: 'an `http` or `https` URL',
  text: 'text',
  variables: 'text with variables',
  pattern: 'a regular expression',
  object: 'the name of an object',
  word: '',
  words: '',
  lines: 'lines',
  snippet: 'directives',
}

const READ = `
A bad value never takes a route down unless it guards it: the Ingress is told \`InvalidAnnotation\`, and the default holds or
the feature is off. Blanks around a value do not count, nothing but blanks is no value, and none is longer than 16 KiB.

A key that reaches a whole host or Service port counts once there: the oldest Ingress that sets it holds, and one that says
something else is told \`AnnotationConflict\`. Where a \`ramjet.dev/\` key and one of ingress-nginx share a name, ours rules and
the other is told \`AnnotationShadowed\`.
`

/** Where a flag says the default, and the table only what that is by itself. */
const FLAGS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'proxy-connect-timeout': '--connect-timeout',
    'proxy-read-timeout': '--response-timeout',
    'proxy-send-timeout': '--response-timeout',
    'proxy-body-size': '--max-body-size',
    'proxy-buffer-size': '--max-response-header-size',
    'proxy-next-upstream-tries': '--max-connect-attempts',
  }).map(([name, flag]) => [`nginx.ingress.kubernetes.io/${name}`, flag]),
)

/** Families of keys, by their rules. */
const FAMILIES: readonly (readonly [title: string, rules: readonly (readonly [from: number, to: number])[]])[] = [
  ['Class', [[18, 19]]],
  [
    'Rewriting',
    [
      [40, 49],
      [148, 149],
    ],
  ],
  ['Redirects', [[50, 59]]],
  ['TLS of clients', [[111, 118]]],
  ['Timeouts and sizes', [[60, 73]]],
  [
    'Balancing and health',
    [
      [30, 39],
      [141, 146],
    ],
  ],
  [
    'What is spoken to backends',
    [
      [29, 29],
      [119, 124],
    ],
  ],
]

/** docs/annotations.md: every key of the registry, by what this build does with it. */
export function annotationsPage(): Page {
  const written = ANNOTATIONS.filter(({ writtenByUs }) => !writtenByUs)
  const built = written.filter((spec) => spec.built)
  const guards = written.filter((spec) => !spec.built && spec.guardsAccess)
  const others = written.filter((spec) => !spec.built && !spec.guardsAccess)
  const sections = [
    INTRODUCTION,
    `## Read\n${READ}\n${builtTables(built)}`,
    `## Guards that are not built\n${GUARDS}\n${guardTable(guards)}`,
    `## Known, without effect\n${WITHOUT_EFFECT}\n${list(others.map(({ key }) => key))}`,
    `## Never read\n${NEVER}\n${neverTable()}`,
    `## Anything else\n${UNKNOWN}`,
  ]
  return {
    file: 'docs/annotations.md',
    source: 'src/annotations/registry.ts',
    title: 'Annotations',
    body: sections.map((text) => text.trim()).join('\n\n'),
  }
}

function builtTables(specs: readonly AnnotationSpec[]): string {
  const tables = FAMILIES.map(([title, rules]) => {
    const family = specs.filter(({ rule }) =>
      rules.some(([from, to]) => from <= numberOf(rule) && numberOf(rule) <= to),
    )
    return [family, `### ${title}\n\n${builtTable(family)}`] as const
  })
  const count = tables.reduce((sum, [family]) => sum + family.length, 0)
  if (count !== specs.length) throw new Error('hack/docs/annotations.ts: a built key is of no family, or of two')
  return tables.map(([, table]) => table).join('\n\n')
}

function defaultText(key: string, value: string | undefined): string {
  const flag = FLAGS.get(key)
  if (value === undefined) return 'none'
  return flag === undefined ? code(value) : `${code(flag)} (${code(value)})`
}

function numberOf(rule: string): number {
  return Number(rule.slice(rule.indexOf('-') + 1))
}

function builtTable(specs: readonly AnnotationSpec[]): string {
  const rows = specs.map(({ key, type, valid, defaultValue, scope, onBad, needs }) => {
    const meaning = MEANINGS.get(key)
    if (meaning === undefined) throw new Error(`hack/docs/annotation-meanings.ts says nothing about ${key}`)
    const value = [TYPES[type], valid].filter((text) => text !== '').join('; ')
    const needed = needs === undefined ? '' : ` Needs ${code(needs)}.`
    return [code(key), value, defaultText(key, defaultValue), SCOPES[scope], BAD[onBad], meaning + needed]
  })
  return markdownTable(['annotation', 'value', 'default', 'reaches', 'a bad value', 'meaning'], rows)
}

function guardTable(specs: readonly AnnotationSpec[]): string {
  const rows = specs.map(({ key, scope, offValues }) => [code(key), SCOPES[scope], offValues.map(code).join(' ')])
  return markdownTable(['annotation', 'closes', 'means off'], rows)
}

function neverTable(): string {
  const rows = NEVER_KEYS.map(({ name, why, changesAccess }) => [
    code(`nginx.ingress.kubernetes.io/${name}`),
    changesAccess ? `${why}; it changes who may get in, so look again` : why,
  ])
  return markdownTable(['annotation', 'why'], rows)
}

function list(keys: readonly string[]): string {
  return keys.map((key) => `- ${code(key)}`).join('\n')
}
