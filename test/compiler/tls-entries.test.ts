import { expect } from 'chai'
import { NO_CLASS_TERMS } from '../../src/compiler/class-terms.ts'
import type { Contribution } from '../../src/compiler/contribution.ts'
import { readIngress } from '../../src/compiler/read-ingress.ts'
import { secretKeysOf, TlsEntries } from '../../src/compiler/tls-entries.ts'
import { ingress } from '../builders/ingress.ts'

function read(name: string, ...secrets: readonly string[]): Contribution {
  const builder = ingress(`shop/${name}`)
  for (const [index, secret] of secrets.entries()) builder.tls(secret, `h${index}.example`)
  const { contribution } = readIngress({ kind: 'Ingress', namespace: 'shop', name }, builder.build(), NO_CLASS_TERMS)
  if (!contribution) throw new Error('it asks for something')
  return contribution
}

describe('TlsEntries', () => {
  it('gives the entries for a key in the order of those who have them, and as they wrote them', () => {
    const [a, b] = [read('a', 'one', 'two', 'one'), read('b', 'one')]
    const found = new TlsEntries(secretKeysOf).of('shop/one', [b, a])
    expect(found.map(({ by, entry }) => [by.object.name, entry.field])).to.deep.equal([
      ['b', 'spec.tls[0]'],
      ['a', 'spec.tls[0]'],
      ['a', 'spec.tls[2]'],
    ])
    expect(new TlsEntries(secretKeysOf).of('shop/three', [a])).to.deep.equal([])
  })

  it('R70-5: looks at each entry once, however often it is asked: the work is bounded by the size of the Ingress', () => {
    const secrets = Array.from({ length: 100 }, (_, index) => `s${index}`)
    const wide = read('wide', ...secrets)
    let looks = 0
    const entries = new TlsEntries((entry) => {
      looks += 1
      return secretKeysOf(entry)
    })
    for (const secret of secrets) expect(entries.of(`shop/${secret}`, [wide])).to.have.lengthOf(1)
    expect(looks).to.equal(100)
  })
})
