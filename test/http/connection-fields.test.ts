import { expect } from 'chai'
import { connectionTokens, isHopByHop } from '../../src/http/connection-fields.ts'
import { HeaderIndex } from '../../src/http/header-list.ts'

describe('connectionTokens', () => {
  it('join every Connection field', () => {
    const index = new HeaderIndex(['Connection', 'close, X-A', 'connection', 'x-b'])
    expect([...connectionTokens(index)]).to.deep.equal(['close', 'x-a', 'x-b'])
  })

  it('are none without one', () => {
    expect(connectionTokens(new HeaderIndex(['X', 'close'])).size).to.equal(0)
  })
})

describe('isHopByHop (R20-41, R20-45)', () => {
  const named = new Set([
    'x-a',
    'host',
    'cookie',
    'authorization',
    'content-length',
    'x-forwarded-for',
    'x-forwarded-new',
  ])

  for (const name of [
    'connection',
    'keep-alive',
    'te',
    'upgrade',
    'transfer-encoding',
    'proxy-authorization',
    'proxy-new',
    'x-a',
  ]) {
    it(`${name} stays on the hop`, () => {
      expect(isHopByHop(name, named)).to.equal(true)
    })
  }

  for (const name of [
    'host',
    'cookie',
    'authorization',
    'content-length',
    'x-forwarded-for',
    'x-forwarded-new',
    'x-b',
    'trailer',
    'proxy',
  ]) {
    it(`${name} goes on`, () => {
      expect(isHopByHop(name, named)).to.equal(false)
    })
  }
})
