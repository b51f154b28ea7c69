import { expect } from 'chai'
import { HeaderIndex, type HeaderList } from '../../src/http/header-list.ts'
import { asksForUpgrade } from '../../src/http/upgrade-request.ts'

const WEBSOCKET: HeaderList = ['Connection', 'Upgrade', 'Upgrade', 'websocket']

describe('asksForUpgrade', () => {
  for (const [title, fields, minorVersion, expected] of [
    ['takes a WebSocket', WEBSOCKET, 1, true],
    ['takes a length of nothing', [...WEBSOCKET, 'Content-Length', '0'], 1, true],
    ['R20-157: takes none with a length', [...WEBSOCKET, 'Content-Length', '3'], 1, false],
    ['R20-157: takes none in chunks', [...WEBSOCKET, 'Transfer-Encoding', 'chunked'], 1, false],
    ['R20-157: takes none in HTTP/1.0', WEBSOCKET, 0, false],
    ['R22-1: takes no h2c, however it is written', ['Connection', 'Upgrade', 'UPGRADE', 'H2C'], 1, false],
    ['R22-1: takes no h2c among others', ['Connection', 'Upgrade', 'Upgrade', 'websocket, h2c'], 1, false],
    ['R22-1: takes no h2c in a second field', [...WEBSOCKET, 'Upgrade', 'h2c'], 1, false],
    ['takes a protocol that only looks like h2c', ['Connection', 'Upgrade', 'Upgrade', 'h2c-like'], 1, true],
  ] as const satisfies readonly (readonly [string, HeaderList, number, boolean])[]) {
    it(title, () => {
      expect(asksForUpgrade(new HeaderIndex(fields), minorVersion)).to.equal(expected)
    })
  }
})
