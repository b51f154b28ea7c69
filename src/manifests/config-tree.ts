// The files of the operator's configuration as one tree in which every value knows where it was written (R42-4).
import type { YamlMapping, YamlNode, YamlScalar } from './yaml-tree.ts'

/** Where something stands in the configuration. */
export interface Place {
  readonly file: string
  /** Counted from 1. */
  readonly line: number
}

export type ConfigNode = ConfigMap | ConfigLeaf

export interface ConfigMap extends Place {
  readonly kind: 'map'
  /** By key, in the order in which they were written first. */
  readonly entries: ReadonlyMap<string, ConfigEntry>
}

/** A text, number, boolean or list, or nothing: what is replaced as a whole. */
export interface ConfigLeaf extends Place {
  readonly kind: 'leaf'
  readonly value: unknown
}

export interface ConfigEntry {
  /** Of the key. */
  readonly place: Place
  readonly node: ConfigNode
}

/** A field that two files set. */
export interface Overwrite {
  /** `healthcheck.path`. */
  readonly field: string
  readonly before: Place
  readonly after: Place
}

/** The map of a file without any entry. */
export function emptyMap(file: string): ConfigMap {
  return { kind: 'map', file, line: 1, entries: new Map() }
}

/** The tree of one file. */
export function configNode(file: string, node: YamlNode): ConfigNode {
  const { line } = node
  return node.kind === 'mapping' ? configMap(file, node) : { kind: 'leaf', file, line, value: plainValue(node) }
}

/** `base` with `over` written over it: maps by key, everything else as a whole. What was overwritten is added to `told`. */
export function mergeNodes(base: ConfigNode, over: ConfigNode, told: Overwrite[], field = ''): ConfigNode {
  // A section with nothing in it sets nothing.
  if (base.kind === 'map' && over.kind === 'leaf' && over.value === null) return base
  if (base.kind === 'leaf' || over.kind === 'leaf') {
    told.push({ field, before: placeOf(base), after: placeOf(over) })
    return over
  }
  const entries = new Map(base.entries)
  for (const [key, entry] of over.entries) {
    const before = entries.get(key)
    const node = before ? mergeNodes(before.node, entry.node, told, memberOf(field, key)) : entry.node
    entries.set(key, { place: entry.place, node })
  }
  return { ...over, entries }
}

/** The value of a tree as JSON has it. */
export function plainOf(node: ConfigNode): unknown {
  if (node.kind === 'leaf') return node.value
  return Object.fromEntries([...node.entries].map(([key, entry]) => [key, plainOf(entry.node)]))
}

/** The node of a field such as `healthcheck.path`, or of the nearest one around it that was written. */
export function nodeAt(root: ConfigNode, field: string): ConfigNode {
  if (field === '' || root.kind === 'leaf') return root
  for (const [key, { node }] of root.entries) {
    // A key may hold dots, as names of header fields do.
    if (field === key || field.startsWith(`${key}[`)) return node
    if (field.startsWith(`${key}.`)) return nodeAt(node, field.slice(key.length + 1))
  }
  return root
}

/** The leaves of a tree, each with its field. */
export function leavesOf(
  node: ConfigNode,
  field = '',
): readonly { readonly field: string; readonly leaf: ConfigLeaf }[] {
  if (node.kind === 'leaf') return [{ field, leaf: node }]
  return [...node.entries].flatMap(([key, entry]) => leavesOf(entry.node, memberOf(field, key)))
}

export function memberOf(field: string, key: string): string {
  return field === '' ? key : `${field}.${key}`
}

function placeOf({ file, line }: Place): Place {
  return { file, line }
}

function configMap(file: string, { line, entries }: YamlMapping): ConfigMap {
  return {
    kind: 'map',
    file,
    line,
    entries: new Map(
      entries.map(({ key, keyLine, value }) => [
        key,
        { place: { file, line: keyLine }, node: configNode(file, value) },
      ]),
    ),
  }
}

function plainValue(node: YamlNode): unknown {
  switch (node.kind) {
    case 'scalar':
      return scalarValue(node)
    case 'sequence':
      return node.items.map(plainValue)
    case 'mapping':
      return Object.fromEntries(node.entries.map(({ key, value }) => [key, plainValue(value)]))
  }
}

const NULL = /^(|~|null|Null|NULL)$/
const TRUE = /^(true|True|TRUE)$/
const FALSE = /^(false|False|FALSE)$/
const NUMBER = /^[-+]?(\.\d+|\d+(\.\d*)?)([eE][-+]?\d+)?$/

/** As the core schema of YAML 1.2 reads it, hexadecimal and octal numbers left as texts: nothing here takes those. */
function scalarValue({ plain, text }: YamlScalar): unknown {
  if (!plain) return text
  if (NULL.test(text)) return null
  if (TRUE.test(text)) return true
  if (FALSE.test(text)) return false
  return NUMBER.test(text) ? Number(text) : text
}
