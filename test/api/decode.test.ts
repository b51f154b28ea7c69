import { expect } from 'chai'
import {
  at,
  decoder,
  optional,
  readBoolean,
  readInteger,
  readList,
  readString,
  readTexts,
} from '../../src/api/decode.ts'
import { err, ok } from '../../src/lib/result.ts'

const decodeThing = decoder((raw) => ({
  name: readString(at(raw, 'name')),
  ...optional(raw, 'count', readInteger),
  ...optional(raw, 'ready', readBoolean),
  ...optional(raw, 'parts', (parts) => readList(parts, (part) => readString(at(part, 'name')))),
  ...optional(raw, 'labels', (labels) => readTexts(labels, new Set(['skipped']))),
}))

describe('decoder', () => {
  it('keeps what it reads and drops the rest', () => {
    const raw = {
      name: 'a',
      count: 2,
      ready: false,
      parts: [{ name: 'p', size: 3 }],
      labels: { k: 'v', skipped: 1 },
      x: 1,
    }
    expect(decodeThing(raw)).to.deep.equal(ok({ name: 'a', count: 2, ready: false, parts: ['p'], labels: { k: 'v' } }))
  })

  it('takes null for missing, as the API server does', () => {
    expect(decodeThing({ name: 'a', count: null, parts: null })).to.deep.equal(ok({ name: 'a' }))
  })

  it('holds a key of any spelling as its own', () => {
    const decoded = decodeThing(JSON.parse('{"name":"a","labels":{"__proto__":"p","constructor":"c"}}'))
    const labels = decoded.ok ? decoded.value.labels : undefined
    expect(Object.entries(labels ?? {})).to.deep.equal([
      ['__proto__', 'p'],
      ['constructor', 'c'],
    ])
  })

  it('reads nothing that an object only inherits', () => {
    expect(decoder((raw) => at(raw, 'toString').value)({})).to.deep.equal(ok(undefined))
  })

  const faults = [
    { raw: null, field: 'object', message: 'is not an object' },
    { raw: [], field: 'object', message: 'is not an object' },
    { raw: 'text', field: 'object', message: 'is not an object' },
    { raw: {}, field: 'name', message: 'is not a string' },
    { raw: { name: 7 }, field: 'name', message: 'is not a string' },
    { raw: { name: 'a', count: 1.5 }, field: 'count', message: 'is not a whole number' },
    { raw: { name: 'a', count: '1' }, field: 'count', message: 'is not a whole number' },
    { raw: { name: 'a', ready: 'yes' }, field: 'ready', message: 'is not true or false' },
    { raw: { name: 'a', parts: {} }, field: 'parts', message: 'is not a list' },
    { raw: { name: 'a', parts: [{ name: 'p' }, {}] }, field: 'parts[1].name', message: 'is not a string' },
    { raw: { name: 'a', parts: ['p'] }, field: 'parts[0]', message: 'is not an object' },
    { raw: { name: 'a', labels: { k: 1 } }, field: 'labels[k]', message: 'is not a string' },
    { raw: { name: 'a', labels: [] }, field: 'labels', message: 'is not an object' },
  ]
  for (const { raw, field, message } of faults) {
    it(`finds in ${JSON.stringify(raw)} that ${field} ${message}`, () => {
      expect(decodeThing(raw)).to.deep.equal(err({ field, message }))
    })
  }

  it('does not take a fault of its own for one of the object', () => {
    const decodeBadly = decoder(() => {
      throw new TypeError('a bug')
    })
    expect(() => decodeBadly({})).to.throw(TypeError, 'a bug')
  })
})
