import { expect } from 'chai'
import { readCrds, type Schema } from '../../../hack/types/crd.ts'
import { judgeParameters } from '../../../src/controllers/class-parameters.ts'
import { checkObject } from '../../../src/controllers/validators/check-object.ts'
import { checkClassParameters } from '../../../src/controllers/validators/class-parameters.generated.ts'
import { CLASS_PARAMETERS_RULES } from '../../../src/controllers/validators/class-parameters-rules.ts'
import { SPEC_SAMPLES } from './parameters-samples.ts'

/** Place, rule and message of every CEL rule of a schema. */
function rulesOf(schema: Schema, at: string): readonly string[] {
  const own = (schema['x-kubernetes-validations'] ?? []).map(({ rule, message }) => `${at} | ${rule} | ${message}`)
  const members = Object.entries(schema.properties ?? {}).flatMap(([key, value]) =>
    rulesOf(value, at === '' ? key : `${at}.${key}`),
  )
  return [...own, ...members, ...(schema.items ? rulesOf(schema.items, `${at}[]`) : [])]
}

/** The schema tells a missing member of the object that lacks it, and a wrong one by its own name. */
function areRelated(told: string, field: string): boolean {
  return told !== '' && (told.startsWith(field) || field.startsWith(told))
}

describe('ClassParameters', () => {
  it('R50-16: every CEL rule has a twin, and no twin is without its rule', () => {
    const crd = readCrds().find(({ kind }) => kind === 'ClassParameters')
    const rules = rulesOf(crd?.schema ?? {}, '')
    expect(rules).to.have.length.above(5)
    expect(CLASS_PARAMETERS_RULES.map(({ at, rule, message }) => `${at} | ${rule} | ${message}`)).to.have.members(rules)
  })

  for (const { title, spec, wrong } of SPEC_SAMPLES) {
    it(`R50-16: schema and twins ${wrong === undefined ? 'take' : 'refuse'} ${title}`, () => {
      const fault = checkObject({ spec }, checkClassParameters, CLASS_PARAMETERS_RULES)
      if (wrong === undefined) expect(fault).to.equal(undefined)
      else expect(areRelated(fault?.field ?? '', wrong)).to.equal(true)
    })

    it(`the reader ${wrong === undefined ? 'takes' : 'refuses'} ${title}`, () => {
      const reading = judgeParameters(spec)
      expect(reading.kind).to.equal(wrong === undefined ? 'valid' : 'invalid')
      if (reading.kind === 'invalid') expect(reading.field).to.satisfy((field: string) => field.startsWith(wrong ?? ''))
    })
  }

  it('R50-54: ignores what a newer CRD lets through', () => {
    expect(judgeParameters({ timeout: '2s', limits: { rps: 5 } })).to.deep.equal({
      kind: 'valid',
      fields: { responseTimeoutMs: 2000 },
    })
  })

  for (const spec of [null, undefined, 'text', 5, [], [{}]]) {
    it(`refuses ${JSON.stringify(spec)} as a spec`, () => {
      expect(judgeParameters(spec)).to.deep.include({ kind: 'invalid', field: 'spec' })
    })
  }
})
