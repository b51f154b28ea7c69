import { expect } from 'chai'
import { ApiAnswerError } from '../../src/runtime/api-errors.ts'
import { JsonLines } from '../../src/runtime/json-lines.ts'

const TEXT = '{"host":"grün.example"}\n\n{"a":1}\n{"b":'
const BYTES = Buffer.from(TEXT)
const WHOLE = ['{"host":"grün.example"}', '{"a":1}']

describe('JsonLines', () => {
  for (let cut = 0; cut <= BYTES.length; cut += 1) {
    it(`gives the same lines when the bytes are cut after ${cut}`, () => {
      const lines = new JsonLines(100)
      const got = [...lines.push(BYTES.subarray(0, cut)), ...lines.push(BYTES.subarray(cut))]
      expect(got).to.deep.equal(WHOLE)
    })
  }

  it('gives the same lines byte by byte', () => {
    const lines = new JsonLines(100)
    expect([...BYTES].flatMap((byte) => lines.push(Uint8Array.of(byte)))).to.deep.equal(WHOLE)
  })

  it('completes a line that was left open', () => {
    const lines = new JsonLines(100)
    lines.push(BYTES)
    expect(lines.push(Buffer.from('2}\n'))).to.deep.equal(['{"b":2}'])
  })

  it('refuses a line longer than its bound, also when it comes in parts', () => {
    const lines = new JsonLines(8)
    lines.push(Buffer.from('1234\n12345678'))
    expect(() => lines.push(Buffer.from('9'))).to.throw(ApiAnswerError, 'exceeds 8 bytes')
  })
})
