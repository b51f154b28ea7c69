import type { Flag, Group } from '../../src/settings/flag-types.ts'
import { FLAGS, twinOf } from '../../src/settings/flags.ts'
import { code, markdownTable, type Page } from './markdown.ts'

const INTRODUCTION = `
The flags of this build. Each has a twin in the environment, and the flag goes before the twin, the twin before the default.
An empty variable counts as absent.

- \`--flag value\` and \`--flag=value\` are the same. Any word that no flag takes is refused.
- A flag marked *list* takes commas and may be repeated. Any other flag that is given twice is refused.
- *true or false*: also \`1\`, \`yes\`, \`on\`, \`0\`, \`no\`, \`off\`; the flag alone is true.
- An address is \`HOST:PORT\`, \`:PORT\` or \`PORT\`; \`:PORT\` binds both families. HOST is an IP address or \`localhost\`.
- Sizes are in bytes, \`k\`, \`m\` or \`g\` (powers of 1024).

A value that cannot be read stops the start with one line for every fault, and exit code 1. A flag that Ramjet knows and this
build does not have is refused as \`not in this build\`.
`

/** docs/flags.md: the flags that are built. */
export function flagsPage(): Page {
  const built = FLAGS.filter((flag) => flag.built)
  const groups = [...new Set(built.map(({ group }) => group))]
  const sections = groups.map((group) => section(group, built))
  return {
    file: 'docs/flags.md',
    source: 'src/settings/flags.ts',
    title: 'Flags',
    body: [INTRODUCTION.trim(), ...sections].join('\n\n'),
  }
}

function section(group: Group, flags: readonly Flag[]): string {
  const rows = flags.filter((flag) => flag.group === group).map(row)
  return `## ${group}\n\n${markdownTable(['flag', 'environment', 'default', 'values', 'what it does'], rows)}`
}

function row(flag: Flag): readonly string[] {
  const values = flag.many ? `${flag.type.words} (list)` : flag.type.words
  return [code(flag.name), code(twinOf(flag) ?? ''), flag.default, values, flag.help]
}
