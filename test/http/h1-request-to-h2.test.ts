import { expect } from 'chai'
import { type H2RequestParts, h2RequestFields } from '../../src/http/h1-request-to-h2.ts'
import type { HeaderList } from '../../src/http/header-list.ts'

/** The fields behind the pseudo fields. */
function fieldsOf(fields: HeaderList): HeaderList {
  return h2RequestFields(partsOf(fields)).slice(8)
}

function partsOf(fields: HeaderList): H2RequestParts {
  return { method: 'POST', target: '/a?b', fields, scheme: 'https', defaultAuthority: '192.0.2.1:443' }
}

describe('h2RequestFields', () => {
  it('R22-17: begins with the pseudo fields; the authority is the host, which is no field any more', () => {
    const fields = h2RequestFields(partsOf(['Accept', '*/*', 'Host', 'shop.example:8080']))
    expect(fields).to.deep.equal([
      ':method',
      'POST',
      ':scheme',
      'https',
      ':authority',
      'shop.example:8080',
      ':path',
      '/a?b',
      'accept',
      '*/*',
    ])
  })

  for (const fields of [[], ['Host', '']]) {
    it(`names the endpoint where the request has no host: ${JSON.stringify(fields)}`, () => {
      expect(h2RequestFields(partsOf(fields)).slice(4, 6)).to.deep.equal([':authority', '192.0.2.1:443'])
    })
  }

  const cases: readonly (readonly [title: string, fields: HeaderList, want: HeaderList])[] = [
    ['order, duplicates and values stay', ['B', '1', 'A', '\xff', 'b', '2'], ['b', '1', 'a', '\xff', 'b', '2']],
    [
      'what belongs to the hop is gone',
      ['Connection', 'X-Hop', 'X-Hop', '1', 'Keep-Alive', 'timeout=1', 'Proxy-Connection', 'x', 'HTTP2-Settings', 'x'],
      [],
    ],
    ['chunks are frames', ['Transfer-Encoding', 'chunked', 'Trailer', 'X'], ['trailer', 'X']],
    ['a length stays', ['Content-Length', '5'], ['content-length', '5']],
    [
      'R22-21: an upgrade is none',
      ['Connection', 'upgrade', 'Upgrade', 'websocket', 'Sec-WebSocket-Key', 'x'],
      ['sec-websocket-key', 'x'],
    ],
    ['TE says trailers, or nothing', ['TE', 'gzip, Trailers', 'A', '1'], ['te', 'trailers', 'a', '1']],
    ['another TE is gone', ['TE', 'gzip'], []],
    [
      'gRPC takes trailers',
      ['Content-Type', 'application/grpc'],
      ['content-type', 'application/grpc', 'te', 'trailers'],
    ],
    [
      'and says so once',
      ['TE', 'trailers', 'Content-Type', 'application/grpc+proto'],
      ['te', 'trailers', 'content-type', 'application/grpc+proto'],
    ],
    ['gRPC-Web is no gRPC', ['Content-Type', 'application/grpc-web'], ['content-type', 'application/grpc-web']],
  ]
  for (const [title, fields, want] of cases) it(title, () => expect(fieldsOf(fields)).to.deep.equal(want))
})
