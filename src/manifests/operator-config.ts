// The texts of the operator's configuration -> what they say, or what is wrong with them by file, line and field
// (chapter "The operator's configuration", R42-1 to R42-8).
import { CLASS_FIELD_NAMES, RETRY_FIELD_NAMES, readClassFields } from '../compiler/read-class-fields.ts'
import { HEALTH_CHECK_NAMES, readHealthCheck } from '../compiler/read-health-check.ts'
import { RecordReader, type ValueFault } from '../compiler/record-reader.ts'
import { nearest } from '../lib/edit-distance.ts'
import { err, ok, type Result } from '../lib/result.ts'
import type { ClassFields } from '../model/class-fields.ts'
import { type ConfigFault, FoundFaults } from './config-faults.ts'
import {
  type ConfigMap,
  type ConfigNode,
  configNode,
  emptyMap,
  leavesOf,
  memberOf,
  mergeNodes,
  nodeAt,
  type Overwrite,
  type Place,
  plainOf,
} from './config-tree.ts'
import { expandVariables } from './expand-variables.ts'
import type { FieldNames } from './mapping-reader.ts'
import { parseYaml } from './yaml-tree.ts'

/** One file, its text already read. */
export interface ConfigText {
  /** As messages name it. */
  readonly file: string
  readonly text: string
}

/** What the operator's configuration says. */
export interface OperatorConfig {
  /** For every class; `healthcheck` is the check of those that set none. */
  readonly defaults: ClassFields
  /** Every value that is in force, with its origin (R42-13). */
  readonly values: readonly ConfigValue[]
  /** What one file set and a later one set again (R42-4). */
  readonly overwrites: readonly Overwrite[]
}

export interface ConfigValue extends Place {
  /** `healthcheck.path`. */
  readonly field: string
  /** As it was written, `***` where it may hold a secret. */
  readonly value: unknown
}

const SECTIONS: FieldNames = {
  known: ['defaults', 'healthcheck'],
  later: ['caches', 'negativeCaches', 'authenticators', 'tracers', 'rewriters', 'limitStore', 'listeners'],
}

const CLASS_FIELDS: FieldNames = {
  known: CLASS_FIELD_NAMES,
  later: [
    'dialect',
    'listeners',
    'cacheName',
    'negativeCacheName',
    'maxTTL',
    'backendProtocol',
    'requestHeaders',
    'responseHeaders',
    'cors',
    'authenticatorName',
    'tracingName',
    'rewriterName',
    'limits',
  ],
}

const RETRY_FIELDS: FieldNames = { known: RETRY_FIELD_NAMES, later: [] }
const CHECK_FIELDS: FieldNames = { known: HEALTH_CHECK_NAMES, later: [] }

/** The fields that are read, by what has them. */
export const CONFIG_FIELDS: Readonly<Record<'file' | 'defaults' | 'retry' | 'healthcheck', readonly string[]>> = {
  file: SECTIONS.known,
  defaults: CLASS_FIELDS.known,
  retry: RETRY_FIELDS.known,
  healthcheck: CHECK_FIELDS.known,
}

/** Maps whose values are secret-bearing: variables are expanded in them, and nobody is shown them. */
const SECRETS: readonly string[] = ['healthcheck.headers', 'defaults.healthCheck.headers']

/** Nothing is configured. */
export const NO_CONFIG: OperatorConfig = { defaults: {}, values: [], overwrites: [] }

/** Reads the files in this order; the error has the first faults and how many more. `lookUp` gives the variables of the environment. */
export function parseOperatorConfig(
  files: readonly ConfigText[],
  lookUp: (name: string) => string | undefined,
): Result<OperatorConfig, readonly ConfigFault[]> {
  const faults = new FoundFaults()
  const overwrites: Overwrite[] = []
  let root: ConfigNode = emptyMap('')
  for (const file of files) {
    const tree = treeOf(file, faults)
    checkNames(tree, faults)
    root = root.file === '' ? tree : mergeNodes(root, tree, overwrites)
  }
  if (root.kind === 'leaf') return err(faults.list())
  const shown = leavesOf(root).map(({ field, leaf }) => {
    const { file, line, value } = leaf
    return { field, value: isSecret(field) ? '***' : value, file, line }
  })
  const expanded = expandSecrets(root, faults, lookUp)
  const defaults = readSections(expanded, faults)
  return faults.count > 0 ? err(faults.list()) : ok({ defaults, values: shown, overwrites })
}

function treeOf({ file, text }: ConfigText, faults: FoundFaults): ConfigMap {
  if (isBlank(text)) return emptyMap(file)
  const tree = parseYaml(text)
  if (!tree.ok) {
    faults.add({ ...tree.error, file })
    return emptyMap(file)
  }
  const node = configNode(file, tree.value)
  if (node.kind === 'map') return node
  faults.add({ file, line: node.line, field: '', message: `must have the sections ${SECTIONS.known.join(' and ')}` })
  return emptyMap(file)
}

/** A file whose every line is a comment says nothing, which is no fault. */
function isBlank(text: string): boolean {
  return text.split('\n').every((line) => /^\s*(#.*)?$/.test(line))
}

/** Tells of every key that is not known where it stands, in each file by itself. */
function checkNames(root: ConfigMap, faults: FoundFaults): void {
  checkMap(root, '', SECTIONS, faults)
  checkMap(nodeOf(root, 'healthcheck'), 'healthcheck', CHECK_FIELDS, faults)
  const defaults = nodeOf(root, 'defaults')
  checkMap(defaults, 'defaults', CLASS_FIELDS, faults)
  checkMap(nodeOf(defaults, 'retry'), 'defaults.retry', RETRY_FIELDS, faults)
  checkMap(nodeOf(defaults, 'healthCheck'), 'defaults.healthCheck', CHECK_FIELDS, faults)
}

function nodeOf(node: ConfigNode | undefined, key: string): ConfigNode | undefined {
  return node?.kind === 'map' ? node.entries.get(key)?.node : undefined
}

function checkMap(node: ConfigNode | undefined, field: string, names: FieldNames, faults: FoundFaults): void {
  if (node?.kind !== 'map') return
  for (const [key, { place }] of node.entries) {
    if (names.known.includes(key)) continue
    if (faults.isFull) faults.skip(place)
    else faults.add({ ...place, field: memberOf(field, key), message: problemOf(key, names) })
  }
}

function problemOf(key: string, { known, later }: FieldNames): string {
  if (later.includes(key)) return 'not in this build'
  const guess = nearest(key, known)
  return `unknown field${guess === undefined ? '' : `; did you mean ${guess}?`}`
}

function readSections(root: ConfigMap, faults: FoundFaults): ClassFields {
  const tell = (section: string, found: readonly ValueFault[]): void => {
    for (const { field, problem } of found) {
      const whole = field === '' ? section : `${section}.${field}`
      const { file, line } = nodeAt(root, whole)
      faults.add({ file, line, field: whole, message: problem })
    }
  }
  const checkFaults: ValueFault[] = []
  const check = sectionOf(root, 'healthcheck')
  const healthCheck =
    check === undefined ? {} : { healthCheck: readHealthCheck(new RecordReader(check, '', checkFaults)) }
  tell('healthcheck', checkFaults)
  const defaults = readClassFields(sectionOf(root, 'defaults') ?? {})
  tell('defaults', defaults.faults)
  return { ...healthCheck, ...defaults.fields }
}

/** The value of a section; `undefined`: it is absent or has nothing in it. */
function sectionOf(root: ConfigMap, name: string): unknown {
  const section = root.entries.get(name)
  return section && (plainOf(section.node) ?? undefined)
}

function isSecret(field: string): boolean {
  return SECRETS.some((map) => field.startsWith(`${map}.`))
}

/** A copy in which the variables of secret-bearing fields are expanded. */
function expandSecrets(root: ConfigMap, faults: FoundFaults, lookUp: (name: string) => string | undefined): ConfigMap {
  return expandMap(root, '', (field, node) => {
    if (node.kind === 'map' || typeof node.value !== 'string' || !isSecret(field)) return node
    const expanded = expandVariables(node.value, lookUp)
    if (expanded.ok) return { ...node, value: expanded.value }
    faults.add({ file: node.file, line: node.line, field, message: expanded.error })
    return node
  })
}

function expandMap(map: ConfigMap, at: string, expand: (field: string, node: ConfigNode) => ConfigNode): ConfigMap {
  const entries = [...map.entries].map(([key, { place, node }]) => {
    const field = memberOf(at, key)
    return [key, { place, node: node.kind === 'map' ? expandMap(node, field, expand) : expand(field, node) }] as const
  })
  return { ...map, entries: new Map(entries) }
}
