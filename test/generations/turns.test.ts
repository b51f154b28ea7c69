import { expect } from 'chai'
import { Turns } from '../../src/generations/turns.ts'

describe('Turns', () => {
  it('runs one task after the other, and goes on after one that fails', async () => {
    const turns = new Turns()
    const seen: string[] = []
    const step = (name: string) => async (): Promise<string> => {
      seen.push(`${name} begins`)
      await Promise.resolve()
      seen.push(`${name} ends`)
      return name
    }
    const first = turns.take(step('a'))
    const failed = turns.take(() => Promise.reject(new Error('no')))
    const last = turns.take(step('b'))
    expect(await first).to.equal('a')
    expect(await failed.catch((error: Error) => error.message)).to.equal('no')
    expect(await last).to.equal('b')
    expect(seen).to.deep.equal(['a begins', 'a ends', 'b begins', 'b ends'])
  })
})
