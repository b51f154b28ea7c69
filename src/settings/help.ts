import type { Flag } from './flag-types.ts'
import { FLAGS, twinOf } from './flags.ts'

const HEAD = `Usage: ramjet [run] [flags]
       ramjet generations [options]
       ramjet rollback (--generation N | --digest D | --release) [options]

Watches the Ingresses of a cluster, or a file of routes, and serves them.
Every flag has a twin in the environment, shown in brackets; the flag wins.

Commands, which ask the admin API of a replica that runs; --help after one names its options:
  generations   the configurations that it keeps, and what each of them changed
  rollback      serves one of them again, or lets go of it
`

/** The text of `--help`: every flag of this build with values, default and variable. */
export function helpText(): string {
  const built = FLAGS.filter((flag) => flag.built)
  const groups = Map.groupBy(built, (flag) => flag.group)
  const sections = [...groups].map(([group, flags]) => `${group}:\n${flags.map(entryOf).join('')}`)
  return [HEAD, ...sections].join('\n')
}

function entryOf(flag: Flag): string {
  const title = flag.type.kind === 'switch' ? flag.name : `${flag.name} ${placeholderOf(flag)}`
  const variable = twinOf(flag)
  const facts = [
    ...(showsDefault(flag) ? [`default: ${flag.default}`] : []),
    ...(flag.many ? ['repeatable, or with commas'] : []),
    ...(variable === undefined ? [] : [`[${variable}]`]),
  ]
  const lines = [`  ${title}`, `      ${flag.help}`, ...(facts.length > 0 ? [`      ${facts.join('; ')}`] : [])]
  return `${lines.join('\n')}\n`
}

function showsDefault(flag: Flag): boolean {
  return flag.default !== '-' && flag.default !== 'none' && flag.type.kind !== 'switch'
}

function placeholderOf({ type }: Flag): string {
  switch (type.kind) {
    case 'text':
      return type.words
    case 'choice':
      return type.of.join('|')
    case 'boolean':
      return '[true|false]'
    case 'integer':
      return 'N'
    case 'duration':
      return 'DURATION'
    case 'size':
      return 'SIZE'
    case 'switch':
      return ''
  }
}
