import { expect } from 'chai'
import * as fc from 'fast-check'
import { expandVariables, variablesOf } from '../../src/manifests/expand-variables.ts'

const VARIABLES: ReadonlyMap<string, string> = new Map([
  ['TOKEN', 's3cret'],
  ['EMPTY', ''],
  ['NESTED', '$'.concat('{TOKEN}')],
  ['_a1', 'low'],
])
const lookUp = (name: string): string | undefined => VARIABLES.get(name)

const good: readonly (readonly [text: string, expanded: string])[] = [
  ['plain', 'plain'],
  ['', ''],
  ['$TOKEN', '$TOKEN'],
  ['#{TOKEN}', 's3cret'],
  ['Bearer #{TOKEN}!', 'Bearer s3cret!'],
  ['#{TOKEN}#{_a1}', 's3cretlow'],
  ['#{EMPTY}', ''],
  ['$#{TOKEN}', '#{TOKEN}'],
  ['$$#{TOKEN}', '$#{TOKEN}'],
  // What a variable holds is text, whatever it looks like.
  ['#{NESTED}', '#{TOKEN}'],
]

const bad: readonly (readonly [text: string, says: string])[] = [
  ['#{MISSING}', 'names the variable MISSING, which is not set'],
  ['#{}', 'has a reference that is no name of a variable'],
  ['#{1A}', 'has a reference that is no name of a variable'],
  ['#{TOKEN', 'that nothing closes'],
  ['#{TOKEN} and #{OTHER}', 'names the variable OTHER'],
]

// A dollar and a brace would be a template to the eye of a linter.
const written = (text: string): string => text.replaceAll('#{', '$'.concat('{'))

describe('variablesOf', () => {
  it('R42-5: knows what the environment holds, and nothing that it inherits as an object', () => {
    const set = variablesOf(process.env)
    expect(set('PATH')).to.equal(process.env['PATH'])
    for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
      expect(set(name), name).to.equal(undefined)
    }
  })
})

describe('expandVariables', () => {
  for (const [text, expanded] of good) {
    it(`R42-5: makes ${JSON.stringify(written(expanded))} of ${JSON.stringify(written(text))}`, () => {
      expect(expandVariables(written(text), lookUp)).to.deep.equal({ ok: true, value: written(expanded) })
    })
  }

  for (const [text, says] of bad) {
    it(`R42-5: refuses ${JSON.stringify(written(text))} without telling a value`, () => {
      const result = expandVariables(written(text), lookUp)
      expect(result.ok ? '' : result.error)
        .to.contain(says)
        .and.not.to.contain('s3cret')
    })
  }

  it('leaves text without a reference as it is, and looks nothing up', () => {
    const plain = fc.string().filter((text) => !text.includes(written('#{')))
    fc.assert(
      fc.property(plain, (text) => {
        expect(expandVariables(text, () => expect.fail())).to.deep.equal({ ok: true, value: text })
      }),
    )
  })
})
