import { expect } from 'chai'
import { bitString, inContext, integer, objectId, octetString, sequence, time, utf8String } from '../../src/lib/der.ts'

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

const lengthOf = (size: number): string => hex(octetString(new Uint8Array(size))).slice(2, 10)
const textOf = (ms: number): string => Buffer.from(time(ms).slice(2)).toString()

describe('values in DER', () => {
  it('are those of X.690', () => {
    expect(hex(integer(Uint8Array.of(2)))).to.equal('020102')
    expect(hex(integer(Uint8Array.of(0x80)))).to.equal('02020080')
    expect(hex(objectId('1.2.840.10045.4.3.2'))).to.equal('06082a8648ce3d040302')
    expect(hex(utf8String('a'))).to.equal('0c0161')
    expect(hex(bitString(Uint8Array.of(0x80), 7))).to.equal('03020780')
    expect(hex(inContext(2, Uint8Array.of(0x61), true))).to.equal('820161')
    expect(hex(inContext(0, integer(Uint8Array.of(2))))).to.equal('a003020102')
    expect(hex(sequence())).to.equal('3000')
  })

  it('have a length of as many bytes as it takes', () => {
    expect([127, 128, 255, 256, 65_536].map(lengthOf)).to.deep.equal([
      '7f000000',
      '81800000',
      '81ff0000',
      '82010000',
      '83010000',
    ])
  })

  it('name a moment in two digits of its year before 2050, and in four from then on', () => {
    expect(textOf(Date.UTC(2026, 0, 2, 3, 4, 5, 678))).to.equal('260102030405Z')
    expect(textOf(Date.UTC(2049, 11, 31, 23, 59, 59))).to.equal('491231235959Z')
    expect(textOf(Date.UTC(2050, 0, 1))).to.equal('20500101000000Z')
  })
})
