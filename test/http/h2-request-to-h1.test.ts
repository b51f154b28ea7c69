import { expect } from 'chai'
import * as fc from 'fast-check'
import { RequestScan } from '../../src/http/h1-request-scan.ts'
import { DONE } from '../../src/http/h1-scan.ts'
import { type Http2RequestUse, http1TrailerLines, readHttp2Request } from '../../src/http/h2-request-to-h1.ts'

const USE: Http2RequestUse = { endsWithHead: true, maxHeaders: 10, maxHeaderBytes: 1000, webSocketKey: () => 'KEY' }
const OPEN: Http2RequestUse = { ...USE, endsWithHead: false }
const HEAD = [':method', 'GET', ':scheme', 'https', ':authority', 'a.example', ':path', '/x?y']

const FRAMING = /^(?:content-length|transfer-encoding):/

describe('readHttp2Request', () => {
  it('makes a request line and a Host of the pseudo fields, and keeps the order of the rest', () => {
    const { head, body, isHead, refusal } = readHttp2Request([...HEAD, 'x-b', '1', 'x-a', '2', 'x-b', '3'], USE)
    expect(head).to.equal('GET /x?y HTTP/1.1\r\nhost: a.example\r\nx-b: 1\r\nx-a: 2\r\nx-b: 3\r\n\r\n')
    expect({ body, isHead, refusal }).to.deep.equal({ body: 'none', isHead: false, refusal: undefined })
  })

  it('R22-5: joins crumbs where the first one stood', () => {
    const { head } = readHttp2Request([...HEAD, 'x-a', '1', 'cookie', 'a=1', 'x-b', '2', 'cookie', 'b=2'], USE)
    expect(head).to.include('x-a: 1\r\ncookie: a=1; b=2\r\nx-b: 2\r\n')
  })

  it('R22-4: trims values', () => {
    expect(readHttp2Request([...HEAD, 'x-a', ' \tb c\t '], USE).head).to.include('\r\nx-a: b c\r\n')
    expect(readHttp2Request([...HEAD, 'x-a', ' '], USE).head).to.include('\r\nx-a: \r\n')
  })

  for (const { what, fields, use = USE, body, line } of [
    { what: 'without one', fields: [], body: 'none', line: undefined },
    { what: 'with a length', fields: ['content-length', '3'], use: OPEN, body: 'length', line: 'content-length: 3' },
    { what: 'of unknown length', fields: [], use: OPEN, body: 'chunked', line: 'transfer-encoding: chunked' },
    {
      what: 'with a length that announces trailers',
      fields: ['content-length', '3', 'trailer', 'x-sum'],
      use: OPEN,
      body: 'chunked',
      line: 'transfer-encoding: chunked',
    },
    { what: 'that is empty, by its length', fields: ['content-length', '0'], body: 'none', line: 'content-length: 0' },
  ]) {
    it(`frames a body ${what}`, () => {
      const read = readHttp2Request([...HEAD, ...fields], use)
      expect(read.body).to.equal(body)
      if (line) expect(read.head.split('\r\n').filter((one) => FRAMING.test(one))).to.deep.equal([line])
      else expect(read.head).to.not.match(/content-length|transfer-encoding/)
    })
  }

  for (const { what, list, use = USE, refusal } of [
    { what: 'another host', list: [...HEAD, 'host', 'b.example'], refusal: 'malformed' },
    { what: 'two hosts', list: [...HEAD, 'host', 'a.example', 'host', 'a.example'], refusal: 'malformed' },
    { what: 'a scheme of another kind', list: HEAD.with(3, 'ftp'), refusal: 'malformed' },
    { what: 'a line end in a value', list: [...HEAD, 'x-a', 'b\r\nc: d'], refusal: 'malformed' },
    { what: 'a line end in a name', list: [...HEAD, 'x-a\r\nc', 'd'], refusal: 'malformed' },
    { what: 'a line end in the path', list: HEAD.with(7, '/\r\nx: y'), refusal: 'malformed' },
    { what: 'a space in the path', list: HEAD.with(7, '/ HTTP/1.1'), refusal: 'malformed' },
    { what: 'a line end in the method', list: HEAD.with(1, 'GET / HTTP/1.1\r\nx: y\r\n'), refusal: 'malformed' },
    { what: 'a line end in the authority', list: HEAD.with(5, 'a\r\nx: y'), refusal: 'malformed' },
    { what: 'a length without a body', list: [...HEAD, 'content-length', '3'], refusal: 'malformed' },
    {
      what: 'two lengths',
      list: [...HEAD, 'content-length', '3', 'content-length', '3'],
      use: OPEN,
      refusal: 'malformed',
    },
    { what: 'a length that is none', list: [...HEAD, 'content-length', '+3'], use: OPEN, refusal: 'malformed' },
    { what: 'another pseudo field', list: [...HEAD, ':status', '200'], refusal: 'malformed' },
    { what: 'too many fields', list: [...HEAD, ...Array<string>(22).fill('x')], refusal: 'too-many-fields' },
    { what: 'too many crumbs', list: [...HEAD, ...Array<string>(22).fill('cookie')], refusal: 'too-many-fields' },
    { what: 'too many bytes', list: [...HEAD, 'x-a', 'b'.repeat(900)], refusal: 'head-too-large' },
    { what: 'a protocol without CONNECT', list: [...HEAD, ':protocol', 'websocket'], refusal: 'malformed' },
    {
      what: 'a tunnel with a length',
      list: [...HEAD.with(1, 'CONNECT'), ':protocol', 'websocket', 'content-length', '3'],
      use: OPEN,
      refusal: 'malformed',
    },
    {
      what: 'another protocol',
      list: [...HEAD.with(1, 'CONNECT'), ':protocol', 'x'],
      refusal: 'protocol-not-implemented',
    },
  ]) {
    it(`refuses ${what}`, () => {
      expect(readHttp2Request(list, use).refusal).to.equal(refusal)
    })
  }

  it('the same host in another spelling is no other', () => {
    expect(readHttp2Request([...HEAD, 'host', 'A.example'], USE).head).to.include('host: a.example\r\n')
    expect(readHttp2Request([...HEAD, 'host', 'a.example:81'], USE).refusal).to.equal('malformed')
  })

  it('R22-8: leaves CONNECT to who refuses it', () => {
    const { head } = readHttp2Request([':method', 'CONNECT', ':authority', 'a.example:80'], OPEN)
    expect(head).to.match(/^CONNECT a\.example:80 HTTP\/1\.1\r\nhost: a\.example:80\r\n/)
  })

  it('R22-9: makes an upgrade of an extended CONNECT', () => {
    const list = [...HEAD.with(1, 'CONNECT'), ':protocol', 'websocket', 'sec-websocket-version', '13']
    const { head, body } = readHttp2Request(list, OPEN)
    expect(body).to.equal('tunnel')
    expect(head).to.match(/^GET \/x\?y HTTP\/1\.1\r\n/)
    expect(head).to.include('connection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-key: KEY\r\n\r\n')
    expect(readHttp2Request([...list, 'sec-websocket-key', 'mine'], OPEN).head).to.not.include('KEY')
  })

  it('whatever comes, what is not refused is one head of HTTP/1.1 with no field of another name', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', 'B', '/', ':', '\r', '\n', '\0', ' ', '\t', '#', '\xe9', ','),
      maxLength: 6,
    })
    const fields = fc.array(fc.tuple(fc.oneof(text, fc.constantFrom('x-a', 'cookie', 'host')), text), { maxLength: 4 })
    fc.assert(
      fc.property(text, text, text, fields, (method, authority, path, more) => {
        const list = [
          ':method',
          method,
          ':scheme',
          'http',
          ':authority',
          authority,
          ':path',
          `/${path}`,
          ...more.flat(),
        ]
        const { head, refusal } = readHttp2Request(list, USE)
        if (refusal) return
        const scan = new RequestScan({ maxTargetBytes: 1000, maxHeaderBytes: 10_000, maxHeaders: 100 })
        const bytes = Buffer.from(head, 'latin1')
        const outcome = scan.scan(bytes, 0, bytes.length)
        // What two parsers could read in two ways is refused by the one that comes next.
        if (outcome !== DONE) return
        expect(scan.headEnd).to.equal(bytes.length)
        const names = new Set(['host', ...more.map(([name]) => name)])
        for (const [at, name] of scan.fields.list(bytes).entries()) if (at % 2 === 0) expect(names).to.include(name)
      }),
    )
  })
})

describe('http1TrailerLines', () => {
  it('leaves out what could not stand on one line', () => {
    expect(http1TrailerLines(['x-a', ' 1 ', 'x-b', '2\r\n', 'x c', '3', '', '4'])).to.equal('x-a: 1\r\n')
  })
})
