import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { ANNOTATIONS } from '../src/annotations/registry.ts'
import { FLAG_BY_NAME } from '../src/settings/flags.ts'
import { FAILURES } from './control-plane-failures.ts'

const ROOT = join(import.meta.dirname, '..')
const FIRST = 80
const LAST = 110

describe('the failures of the control plane', () => {
  it('are all there are, each once and in order', () => {
    const wanted = Array.from({ length: LAST - FIRST + 1 }, (_row, index) => `R70-${FIRST + index}`)
    expect(FAILURES.map(({ rule }) => rule)).to.deep.equal(wanted)
  })

  for (const { rule, proofs, waitsFor } of FAILURES) {
    if (waitsFor) {
      it(`${rule} waits for what is not in this build: ${waitsFor.feature}`, () => {
        const { flag, annotation } = waitsFor
        if (flag !== undefined) expect(FLAG_BY_NAME.get(flag)).to.include({ built: false })
        if (annotation !== undefined) {
          const keys = ANNOTATIONS.filter(({ key }) => key.endsWith(`/${annotation}`))
          expect(keys.map(({ built }) => built)).to.include(false)
        }
        expect(flag ?? annotation).to.not.equal(undefined)
      })
    } else it(`${rule} has a test`, () => expect(proofs).to.not.have.length(0))

    for (const { file, title } of proofs) {
      it(`${rule} is shown by "${title}"`, () => {
        expect(existsSync(join(ROOT, file)), file).to.equal(true)
        expect(readFileSync(join(ROOT, file), 'utf8')).to.include(title)
      })
    }
  }
})
