// The JSON Schema of the operator's configuration (R42-14). `defaults` is spelled as ClassParameters are (R42-21), so it is
// made from their CRD. test/manifests/config-schema.test.ts holds it against the reader.
import { readCrds, type Schema } from '../types/crd.ts'
import type { Page } from './markdown.ts'

type JsonSchema = Readonly<Record<string, unknown>>

const KEPT = new Set([
  'description',
  'type',
  'required',
  'enum',
  'default',
  'pattern',
  'minimum',
  'maximum',
  'maxLength',
  'maxItems',
  'maxProperties',
])

/** The schema of the whole configuration, as it stands in docs/config.schema.json. */
export const CONFIG_SCHEMA: JsonSchema = configSchema()

/** docs/config.schema.json. */
export function configSchemaPage(): Page {
  return {
    file: 'docs/config.schema.json',
    source: 'hack/docs/config-schema.ts',
    title: "The operator's configuration",
    body: JSON.stringify(CONFIG_SCHEMA, null, 2),
  }
}

function configSchema(): JsonSchema {
  const spec = readCrds().find(({ kind }) => kind === 'ClassParameters')?.schema.properties?.['spec']
  const check = spec?.properties?.['healthCheck']
  if (!spec || !check) throw new Error('crds/ has no ClassParameters with a healthCheck')
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $comment: 'Made from crds/ by npm run docs.',
    title: "The operator's configuration of Ramjet",
    description: 'What --config names. Files of a folder are merged in order of their names.',
    type: 'object',
    additionalProperties: false,
    properties: {
      defaults: {
        ...strict(spec),
        description: 'For every route of every class; ClassParameters of a class go before it.',
      },
      healthcheck: {
        ...strict(check),
        description: 'What healthMode probe runs where neither the class nor the Ingress says otherwise.',
      },
    },
  }
}

/** A structural schema as JSON Schema has it, without members that it does not name. */
function strict(schema: Schema): JsonSchema {
  const kept = Object.fromEntries(Object.entries(schema).filter(([key]) => KEPT.has(key)))
  return {
    ...kept,
    ...(schema.properties ? { additionalProperties: false, properties: members(schema.properties) } : {}),
    ...(schema.additionalProperties ? { additionalProperties: strict(schema.additionalProperties) } : {}),
    ...(schema.items ? { items: strict(schema.items) } : {}),
    ...(schema['x-kubernetes-int-or-string'] ? { type: ['integer', 'string'] } : {}),
  }
}

function members(properties: Readonly<Record<string, Schema>>): JsonSchema {
  return Object.fromEntries(Object.entries(properties).map(([key, schema]) => [key, strict(schema)]))
}
