import type { AnnotationSpec, Scope } from '../../src/annotations/annotation-spec.ts'
import { NEVER_KEYS } from '../../src/annotations/never-keys.ts'
import { ANNOTATIONS } from '../../src/annotations/registry.ts'
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

const MEANING: ReadonlyMap<string, string> = new Map([
  [
    'kubernetes.io/ingress.class',
    'The Ingress is ours if and only if the value equals `--ingress-class`, whatever `spec.ingressClassName` says.',
  ],
  ['ingressclass.kubernetes.io/is-default-class', 'On an IngressClass of ours: Ingresses that name no class are ours.'],
])

/** docs/annotations.md: every key of the registry, by what this build does with it. */
export function annotationsPage(): Page {
  const written = ANNOTATIONS.filter(({ writtenByUs }) => !writtenByUs)
  const built = written.filter((spec) => spec.built)
  const guards = written.filter((spec) => !spec.built && spec.guardsAccess)
  const others = written.filter((spec) => !spec.built && !spec.guardsAccess)
  const sections = [
    INTRODUCTION,
    `## Read\n\n${builtTable(built)}`,
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

function builtTable(specs: readonly AnnotationSpec[]): string {
  const rows = specs.map(({ key, defaultValue, scope }) => {
    const meaning = MEANING.get(key)
    if (meaning === undefined) throw new Error(`hack/docs/annotations.ts says nothing about ${key}`)
    return [code(key), defaultValue ?? 'none', SCOPES[scope], meaning]
  })
  return markdownTable(['annotation', 'default', 'reaches', 'meaning'], rows)
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
