import { isIp, parseHostPort } from '../lib/ip.ts'
import { err, ok, type Result } from '../lib/result.ts'
import { type FieldNames, type FileNotes, MappingReader } from './mapping-reader.ts'
import type { YamlNode } from './yaml-tree.ts'

/** One endpoint of a backend of a file, and where it stands. */
export interface EndpointEntry {
  readonly field: string
  readonly line: number
  readonly host: string
  readonly port: number
  readonly weight: number
}

/** The fields of the long form. */
export const ENDPOINT_FIELDS: FieldNames = { known: ['address', 'weight'], later: [] }
const MAX_WEIGHT = 1_000_000
const ALLOWED = 'must be IP:PORT or [IPV6]:PORT'

/** Reads `192.0.2.1:80`, which has weight 1, or the long form `{address, weight}`; `undefined`: told. */
export function readEndpoint(
  { node, field }: { readonly node: YamlNode; readonly field: string },
  notes: FileNotes,
): EndpointEntry | undefined {
  notes.noteLine(field, node.line)
  if (node.kind === 'mapping')
    return readLongForm(new MappingReader(notes, node, { field, names: ENDPOINT_FIELDS }), node, field)
  const address = node.kind === 'scalar' ? parseAddress(node.text) : err(ALLOWED)
  if (address.ok) return { field, line: node.line, ...address.value, weight: 1 }
  notes.add(node.line, field, address.error)
  return undefined
}

function readLongForm(reader: MappingReader, node: YamlNode, field: string): EndpointEntry | undefined {
  const text = reader.required('address')
  const weight = reader.wholeNumber('weight', 1, MAX_WEIGHT)
  if (text === undefined || weight === undefined) return undefined
  const address = parseAddress(text)
  return address.ok ? { field, line: node.line, ...address.value, weight } : reader.reject('address', address.error)
}

function parseAddress(text: string): Result<{ readonly host: string; readonly port: number }, string> {
  const parsed = parseHostPort(text)
  if (!parsed.ok) return err(`${ALLOWED}: ${text} ${parsed.error}`)
  const { host, port } = parsed.value
  return isIp(host) && port > 0 ? ok({ host, port }) : err(ALLOWED)
}
