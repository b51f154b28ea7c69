import { expect } from 'chai'
import { digestOfPolicy, digestOfServerName, type ServerName } from '../../src/model/certificate-table.ts'
import { misdirectionOf } from '../../src/router/misdirection.ts'

const CLIENT = { authorities: 'x', mode: 'on', maxDepth: 1 } as const

function names(...entries: readonly (readonly [string, readonly string[], ServerName['policy']?])[]) {
  return new Map(
    entries.map(([host, certificates, policy = {}]) => {
      const name = { host, certificates, policy }
      return [host, { ...name, digest: digestOfServerName(name) }]
    }),
  )
}

const TABLE = names(
  ['a.example', ['1', '2']],
  ['b.example', ['2', '1']],
  ['c.example', ['3']],
  ['*.d.example', ['1', '2'], { client: CLIENT }],
  ['', ['9']],
)
const plain = digestOfPolicy({})

describe('misdirectionOf (R21-22, R22-7)', () => {
  for (const { serverName, host, isHttp2, policyDigest = plain, is } of [
    { serverName: 'a.example', host: 'a.example', isHttp2: true, is: 'none' },
    { serverName: 'a.example', host: 'b.example', isHttp2: true, is: 'none' },
    { serverName: 'a.example', host: 'c.example', isHttp2: true, is: 'host' },
    { serverName: 'a.example', host: 'c.example', isHttp2: false, is: 'none' },
    { serverName: 'a.example', host: 'x.d.example', isHttp2: true, is: 'host' },
    { serverName: 'a.example', host: 'x.d.example', isHttp2: false, is: 'host' },
    { serverName: 'x.example', host: 'x.example', isHttp2: true, is: 'none' },
    { serverName: 'x.example', host: 'y.example', isHttp2: true, is: 'none' },
    { serverName: undefined, host: 'x.example', isHttp2: true, is: 'none' },
    { serverName: undefined, host: 'a.example', isHttp2: true, is: 'host' },
    { serverName: undefined, host: '', isHttp2: false, is: 'none' },
    { serverName: 'a.example', host: 'a.example', isHttp2: false, policyDigest: 'before', is: 'connection' },
    { serverName: 'a.example', host: 'b.example', isHttp2: false, policyDigest: 'before', is: 'host' },
  ]) {
    const version = isHttp2 ? 'HTTP/2' : 'HTTP/1.1'
    it(`${host || 'no host'} on a connection for ${serverName ?? 'no name'} by ${version}, ${policyDigest}: ${is}`, () => {
      expect(misdirectionOf(TABLE, { serverName, policyDigest, isHttp2 }, host)).to.equal(is)
    })
  }
})
