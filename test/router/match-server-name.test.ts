import { expect } from 'chai'
import { type CertificateTable, DEFAULT_SERVER_NAME } from '../../src/model/certificate-table.ts'
import { matchServerName } from '../../src/router/match-server-name.ts'
import { certificateTable } from '../builders/certificates.ts'

function namesOf(...hosts: readonly string[]): CertificateTable['serverNames'] {
  return certificateTable(hosts).serverNames
}

const NAMES = namesOf('shop.example', '*.shop.example', 'a.shop.example', '*.example', DEFAULT_SERVER_NAME)

describe('matchServerName (R21-8)', () => {
  for (const [name, want] of [
    ['shop.example', 'shop.example'],
    ['a.shop.example', 'a.shop.example'],
    ['b.shop.example', '*.shop.example'],
    ['b.a.shop.example', DEFAULT_SERVER_NAME],
    ['other.example', '*.example'],
    ['example', DEFAULT_SERVER_NAME],
    ['shop.other', DEFAULT_SERVER_NAME],
    ['*.shop.example', DEFAULT_SERVER_NAME],
    ['.example', DEFAULT_SERVER_NAME],
    ['constructor', DEFAULT_SERVER_NAME],
    ['', DEFAULT_SERVER_NAME],
    [undefined, DEFAULT_SERVER_NAME],
  ] as const) {
    it(`gives ${JSON.stringify(name)} what ${want || 'the default'} has`, () => {
      expect(matchServerName(NAMES, name)?.host).to.equal(want)
    })
  }

  it('gives nothing where nothing matches and there is no default', () => {
    expect(matchServerName(namesOf('shop.example', '*.shop.example'), 'other.example')).to.equal(undefined)
    expect(matchServerName(new Map(), undefined)).to.equal(undefined)
  })
})
