import { expect } from 'chai'
import { cutNote } from '../../src/runtime/event-note.ts'

describe('cutNote (R30-25)', () => {
  it('leaves alone what fits', () => {
    for (const note of ['', 'short', 'x'.repeat(1024), 'é'.repeat(512)]) expect(cutNote(note)).to.equal(note)
  })

  for (const character of ['x', 'é', '€', '😀']) {
    it(`cuts to at most 1,024 bytes with the ellipsis, and no ${character} in two`, () => {
      for (let lead = 0; lead < 4; lead += 1) {
        const note = 'a'.repeat(lead) + character.repeat(1100)
        const cut = cutNote(note)
        expect(Buffer.byteLength(cut)).to.be.within(1024 - Buffer.byteLength(character) + 1, 1024)
        expect(cut.endsWith('…')).to.equal(true)
        expect(note.startsWith(cut.slice(0, -1))).to.equal(true)
      }
    })
  }
})
