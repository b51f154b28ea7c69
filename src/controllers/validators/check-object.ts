// One object of a kind of ours against its schema and its CEL rules, as the API server checks it (R50-16).
import { isRecord } from '../../lib/json-record.ts'
import type { RuleTwin } from './class-parameters-rules.ts'
import type { SchemaCheck } from './schema-check.ts'

/** The first thing that is wrong with an object. */
export interface ObjectFault {
  /** `spec.retry.on[0]`. */
  readonly field: string
  /** Follows the field's name: `must be integer`. */
  readonly problem: string
}

/** What is wrong with `object`; `undefined`: nothing. */
export function checkObject(object: unknown, check: SchemaCheck, rules: readonly RuleTwin[]): ObjectFault | undefined {
  if (!check(object)) {
    const [first] = check.errors ?? []
    return { field: fieldOf(first?.instancePath ?? ''), problem: first?.message ?? 'is not what the schema allows' }
  }
  for (const { at, message, holds } of rules) {
    const wrong = valuesAt(object, at.split('.'), '').find(({ value }) => !holds(value))
    if (wrong) return { field: wrong.field, problem: message }
  }
  return undefined
}

/** `spec.retry.on[0]` of `/spec/retry/on/0`. */
function fieldOf(pointer: string): string {
  const names = pointer.split('/').slice(1)
  const words = names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
  const text = words.map((word) => (/^\d+$/.test(word) ? `[${word}]` : `.${word}`)).join('')
  return text === '' ? 'object' : text.slice(1)
}

interface Found {
  readonly field: string
  readonly value: unknown
}

/** The values at a place; none where it is absent. */
function valuesAt(value: unknown, [name = '', ...rest]: readonly string[], field: string): readonly Found[] {
  const isList = name.endsWith('[]')
  const key = isList ? name.slice(0, -2) : name
  const member = isRecord(value) && Object.hasOwn(value, key) ? (value[key] ?? undefined) : undefined
  if (member === undefined) return []
  const inner = field === '' ? key : `${field}.${key}`
  const found = isList && Array.isArray(member) ? itemsOf(member, inner) : [{ field: inner, value: member }]
  return rest.length === 0 ? found : found.flatMap((each) => valuesAt(each.value, rest, each.field))
}

function itemsOf(list: readonly unknown[], field: string): readonly Found[] {
  return list.map((value, index) => ({ field: `${field}[${index}]`, value }))
}
