import { readCrds, type Schema } from '../types/crd.ts'
import { code, markdownTable, type Page } from './markdown.ts'

const INTRODUCTION = `
What an IngressClass sets for all routes of its Ingresses. The class names the object, with the scope Namespace:

\`\`\`sh
kubectl apply -f config/samples/class-parameters
kubectl get classparameters
\`\`\`

Strength, weakest first: the operator's \`defaults\` ([operator-config.md](operator-config.md)), ClassParameters, annotations of
an Ingress. A field that is absent is not set.

A class whose parameters cannot be used is **not served**: they do not exist, lie in a namespace that is not watched, or a value
is wrong. The class and each Ingress of it are told \`InvalidParameters\`, and it is served as soon as that is mended. The API
server refuses wrong values when they are applied; what was stored before the schema changed is checked again by Ramjet and told
\`InvalidObject\`.

The CRD may be installed while Ramjet runs. If it is removed, its objects serve on for five minutes (\`KindRemoved\`).
`

const NOTES = `
## Notes

- \`"on"\` stands in quotes: \`kubectl\` reads a bare \`on\` as the value true, and the API server then refuses the field.
- \`defaultBackend\` answers unmatched paths on the hosts of the class. Hosts that nobody claimed are answered by that of the oldest
  class that sets one. An Ingress's own \`spec.defaultBackend\` goes before it.
- \`healthCheck\` is one value: what it leaves out has the defaults of this table, not those of the operator's \`healthcheck\`.
- Headers of a \`healthCheck\` are no place for secrets: whoever may read the object reads them.
`

/** docs/class-parameters.md. */
export function classParametersPage(): Page {
  const schema = readCrds().find(({ kind }) => kind === 'ClassParameters')?.schema
  const { spec = {}, status = {} } = schema?.properties ?? {}
  return {
    file: 'docs/class-parameters.md',
    source: 'crds/ramjet.dev_classparameters.yaml',
    title: 'ClassParameters',
    body: [
      INTRODUCTION.trim(),
      '## Fields of `spec`',
      tableOf(spec),
      NOTES.trim(),
      '## Fields of `status`',
      tableOf(status),
    ].join('\n\n'),
  }
}

function tableOf(schema: Schema): string {
  return markdownTable(['field', 'value', 'default', 'meaning'], rowsOf(schema, ''))
}

function rowsOf(schema: Schema, prefix: string): readonly (readonly string[])[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const field = `${prefix}${name}`
    const row = [code(field), valueText(member), defaultOf(member), member.description ?? '']
    const items = member.items?.properties ? rowsOf(member.items, `${field}[].`) : []
    return [row, ...rowsOf(member, `${field}.`), ...items]
  })
}

function valueText(schema: Schema): string {
  if (schema.enum) return schema.enum.map(code).join(', ')
  if (schema['x-kubernetes-int-or-string']) return 'number or text'
  if (schema.type === 'array') return `list of ${valueText(schema.items ?? {})}`
  if (schema.type === 'integer') return rangeOf(schema)
  if (schema.additionalProperties) return 'map of texts'
  if (isDuration(schema)) return 'duration'
  return schema.type === 'object' ? 'map' : 'text'
}

function rangeOf({ minimum, maximum }: Schema): string {
  return minimum === undefined || maximum === undefined ? 'number' : `${minimum} to ${maximum}`
}

function isDuration({ pattern = '' }: Schema): boolean {
  return pattern.includes('(s|m|h)')
}

function defaultOf({ default: value }: Schema): string {
  if (value === undefined) return ''
  return code(typeof value === 'string' ? value : JSON.stringify(value))
}
