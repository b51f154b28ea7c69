import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'chai'
import { dump, load } from 'js-yaml'
import { CONFIG_SCHEMA } from '../../hack/docs/config-schema.ts'
import { formatConfigFault } from '../../src/manifests/config-faults.ts'
import { CONFIG_FIELDS, parseOperatorConfig } from '../../src/manifests/operator-config.ts'
import { SPEC_SAMPLES } from '../controllers/validators/parameters-samples.ts'

const EXAMPLE = join(import.meta.dirname, '..', '..', 'examples', 'full-config.yaml')
const validate = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true }).compile(CONFIG_SCHEMA)

interface Described {
  readonly properties: Readonly<Record<string, Described>>
}

function read(text: string) {
  return parseOperatorConfig([{ file: 'config.yaml', text }], () => undefined)
}

describe("the JSON Schema of the operator's configuration (R42-14)", () => {
  const { properties } = CONFIG_SCHEMA as unknown as Described
  const defaults = properties['defaults']?.properties ?? {}

  for (const [of, names, described] of [
    ['the file', CONFIG_FIELDS.file, properties],
    ['the defaults', CONFIG_FIELDS.defaults, defaults],
    ['a retry', CONFIG_FIELDS.retry, defaults['retry']?.properties ?? {}],
    ['the healthcheck', CONFIG_FIELDS.healthcheck, properties['healthcheck']?.properties ?? {}],
    ['a healthCheck of the defaults', CONFIG_FIELDS.healthcheck, defaults['healthCheck']?.properties ?? {}],
  ] as const) {
    it(`has the fields of ${of} that the reader knows, and no other`, () => {
      expect(Object.keys(described)).to.have.members([...names])
    })
  }

  for (const { title, spec, wrong } of SPEC_SAMPLES) {
    // What CEL says of a class, the schema of a file does not say: it may take more, and never less.
    it(`takes ${title} where the reader does`, () => {
      const parsed = read(dump({ defaults: spec }))
      expect(parsed.ok).to.equal(wrong === undefined)
      if (parsed.ok) expect(validate({ defaults: spec }), JSON.stringify(validate.errors)).to.equal(true)
    })
  }

  for (const text of ['caches: {}', 'defaults: {dialect: nginx}', 'healthcheck: {port: 1}', 'defaults: []', '[]']) {
    it(`refuses ${text}, as the reader does`, () => {
      expect(validate(load(text))).to.equal(false)
      expect(read(text).ok).to.equal(false)
    })
  }
})

describe('examples/full-config.yaml (R42-14)', () => {
  const text = readFileSync(EXAMPLE, 'utf8')

  it('is good for the reader and for the schema', () => {
    const parsed = read(text)
    expect(parsed.ok ? [] : parsed.error.map(formatConfigFault)).to.deep.equal([])
    expect(validate(load(text)), JSON.stringify(validate.errors)).to.equal(true)
  })

  for (const [of, names] of Object.entries(CONFIG_FIELDS)) {
    for (const name of names) {
      it(`shows ${name} of ${of}`, () => expect(text).to.match(new RegExp(`(^|[{ ])${name}:`, 'm')))
    }
  }
})
