import { expect } from 'chai'
import { generatedFiles } from '../../hack/gen-types.ts'
import { staleFiles } from '../../hack/generated-file.ts'
import { fileNameOf } from '../../hack/types/crd.ts'
import { typesText } from '../../hack/types/types-text.ts'

describe('hack/gen-types.ts', () => {
  it('finds every generated file as its CRD says (R50-16)', () => {
    expect(generatedFiles().map(({ file }) => file)).to.include('src/api/v1alpha1/class-parameters.ts')
    expect(staleFiles(generatedFiles()).map(({ file }) => file)).to.deep.equal([])
  })

  it('tells a file that differs', () => {
    const changed = generatedFiles().map(({ file, text }) => ({ file, text: `${text}// edited\n` }))
    expect(staleFiles(changed)).to.have.lengthOf(changed.length)
  })

  it('writes nothing that compiles code at run time', () => {
    const validators = generatedFiles().filter(({ file }) => file.includes('/validators/'))
    expect(validators).to.have.lengthOf.above(0)
    for (const { text } of validators) expect(text).not.to.match(/new Function|\beval\b|require\(/)
  })

  it('names files after kinds', () => {
    expect(['ClassParameters', 'CachePolicy'].map(fileNameOf)).to.deep.equal(['class-parameters', 'cache-policy'])
  })

  it('makes interfaces of objects, unions of enums and optional members of what is not required', () => {
    const text = typesText({
      file: 'crds/x.yaml',
      kind: 'Thing',
      group: 'ramjet.dev',
      version: 'v1',
      schema: {
        properties: {
          spec: {
            type: 'object',
            required: ['mode'],
            properties: {
              mode: { enum: ['a', 'b'] },
              flags: { type: 'array', items: { type: 'object', properties: { on: { type: 'boolean' } } } },
            },
          },
        },
      },
    })
    expect(text).to.contain('export interface Thing extends KubernetesObject {\nreadonly spec: ThingSpec\n}')
    expect(text).to.contain("readonly mode: 'a' | 'b'\nreadonly flags?: readonly ThingFlag[]")
    expect(text).to.contain('export interface ThingFlag {\nreadonly on?: boolean\n}')
  })
})
