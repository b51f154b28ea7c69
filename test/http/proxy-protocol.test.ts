import { expect } from 'chai'
import * as fc from 'fast-check'
import { type ProxyHeaderParse, parseProxyHeader } from '../../src/http/proxy-protocol.ts'
import { bytesOf } from './bytes.ts'

const SIGNATURE = '\r\n\r\n\0\r\nQUIT\n'

/** A header of version 2: command, family, and what stands behind the length. */
function version2(command: number, family: number, block: string, length: number = block.length): string {
  return SIGNATURE + String.fromCharCode(command, family, length >> 8, length & 0xff) + block
}

const V4_BLOCK = '\xc6\x33\x64\x07\x7f\x00\x00\x01\x9c\x40\x01\xbb'
const V6_BLOCK = `\x20\x01\x0d\xb8${'\0'.repeat(11)}\x07${'\0'.repeat(15)}\x01\x9c\x40\x01\xbb`
const CLIENT = { address: '198.51.100.7', port: 40_000, localPort: 443 }

describe('parseProxyHeader', () => {
  const good: readonly (readonly [title: string, header: string, connection: unknown])[] = [
    ['TCP4', 'PROXY TCP4 198.51.100.7 127.0.0.1 40000 443\r\n', CLIENT],
    ['TCP6', 'PROXY TCP6 2001:db8::7 ::1 40000 443\r\n', { ...CLIENT, address: '2001:db8::7' }],
    ['R20-163 UNKNOWN', 'PROXY UNKNOWN\r\n', undefined],
    ['UNKNOWN with anything behind it', `PROXY UNKNOWN ${'f'.repeat(91)}\r\n`, undefined],
    ['version 2 over IPv4', version2(0x21, 0x11, V4_BLOCK), CLIENT],
    ['version 2 over IPv6', version2(0x21, 0x21, V6_BLOCK), { ...CLIENT, address: '2001:db8::7' }],
    ['fields behind the addresses', version2(0x21, 0x11, `${V4_BLOCK}\x04\0\x02ab\x20\0\0`), CLIENT],
    ['R20-162 536 bytes', version2(0x21, 0x11, `${V4_BLOCK}\x04\x01\xf9${'a'.repeat(505)}`), CLIENT],
    ['LOCAL', version2(0x20, 0x11, V4_BLOCK), undefined],
    ['LOCAL without addresses', version2(0x20, 0x00, ''), undefined],
    ['R20-163 AF_UNSPEC', version2(0x21, 0x00, 'whatever'), undefined],
  ]
  for (const [title, header, connection] of good) {
    it(`reads ${title}, and leaves what is behind it`, () => {
      const wanted = { kind: 'done', connection, length: header.length }
      expect(parse(header)).to.deep.equal(wanted)
      expect(parse(`${header}GET / HTTP/1.1\r\n`)).to.deep.equal(wanted)
    })

    it(`needs more of ${title} until all of it is there`, () => {
      for (let cut = 0; cut < header.length; cut += 1) {
        expect(parse(header.slice(0, cut)), `cut at ${cut}`).to.deep.equal({ kind: 'need-more' })
      }
    })
  }

  const bad: readonly (readonly [title: string, header: string, fault: string])[] = [
    ['a request without a header', 'GET / HTTP/1.1\r\n', 'Signature'],
    ['small letters', 'proxy TCP4 198.51.100.7 127.0.0.1 1 2\r\n', 'Signature'],
    ['empty lines', '\r\n\r\nGET / HTTP/1.1\r\n', 'Signature'],
    ['R20-162 more than 107 bytes', `PROXY UNKNOWN ${'f'.repeat(100)}`, 'TooLong'],
    ['108 bytes', `PROXY UNKNOWN ${'f'.repeat(92)}\r\n`, 'TooLong'],
    ['a bare LF', 'PROXY UNKNOWN\n', 'Address'],
    ['a bare CR', 'PROXY UNKNOWN\rx', 'Address'],
    ['another family', 'PROXY TCP5 198.51.100.7 127.0.0.1 1 2\r\n', 'Address'],
    ['UDP4', 'PROXY UDP4 198.51.100.7 127.0.0.1 1 2\r\n', 'Address'],
    ['the address of another family', 'PROXY TCP4 2001:db8::7 ::1 1 2\r\n', 'Address'],
    ['a name', 'PROXY TCP4 localhost 127.0.0.1 1 2\r\n', 'Address'],
    ['a zone', 'PROXY TCP6 fe80::1%eth0 ::1 1 2\r\n', 'Address'],
    ['two spaces', 'PROXY TCP4  198.51.100.7 127.0.0.1 1 2\r\n', 'Address'],
    ['a port above 65535', 'PROXY TCP4 198.51.100.7 127.0.0.1 65536 2\r\n', 'Address'],
    ['a port with a zero before it', 'PROXY TCP4 198.51.100.7 127.0.0.1 01 2\r\n', 'Address'],
    ['no port', 'PROXY TCP4 198.51.100.7 127.0.0.1\r\n', 'Address'],
    ['more behind the ports', 'PROXY TCP4 198.51.100.7 127.0.0.1 1 2 3\r\n', 'Address'],
    ['another version', version2(0x11, 0x11, V4_BLOCK), 'Version'],
    ['another command', version2(0x22, 0x11, V4_BLOCK), 'Version'],
    ['R20-162 a length above 536 in all', version2(0x21, 0x11, '', 521), 'TooLong'],
    ['addresses that do not fit', version2(0x21, 0x21, V4_BLOCK), 'Address'],
    ['datagrams', version2(0x21, 0x12, V4_BLOCK), 'Address'],
    ['sockets of a file system', version2(0x21, 0x31, 'a'.repeat(216)), 'Address'],
    ['a field longer than the header', version2(0x21, 0x11, `${V4_BLOCK}\x04\0\x05ab`), 'Tlv'],
    ['half a field', version2(0x21, 0x11, `${V4_BLOCK}\x04\0`), 'Tlv'],
  ]
  for (const [title, header, fault] of bad) {
    it(`refuses ${title}`, () => expect(parse(header)).to.deep.equal({ kind: 'invalid', fault }))
  }

  it('reads no field from what is behind the header', () => {
    const header = version2(0x21, 0x11, `${V4_BLOCK}\x04\0\x05ab`)
    expect(parse(`${header}cdeGET / HTTP/1.1\r\n`)).to.deep.equal({ kind: 'invalid', fault: 'Tlv' })
  })

  it('writes IPv6 addresses as everybody does', () => {
    const rows: readonly (readonly [bytes: string, address: string])[] = [
      ['\0'.repeat(16), '::'],
      [`${'\0'.repeat(15)}\x01`, '::1'],
      [`${'\0'.repeat(10)}\xff\xff\xc0\x00\x02\x01`, '::ffff:192.0.2.1'],
      ['\x20\x01\x0d\xb8\0\0\0\x01\0\0\0\0\0\0\0\x01', '2001:db8:0:1::1'],
      ['\x20\x01\x0d\xb8\0\x01\0\0\0\x01\0\x01\0\x01\0\x01', '2001:db8:1:0:1:1:1:1'],
    ]
    for (const [bytes, address] of rows) {
      const parsed = parse(version2(0x21, 0x21, `${bytes}${'\0'.repeat(16)}\0\x01\0\x02`))
      expect(parsed.kind === 'done' && parsed.connection?.address).to.equal(address)
    }
  })

  it('ends with a verdict within 536 bytes, and never throws', () => {
    const beginnings = fc.constantFrom('', 'PROXY ', 'PROXY TCP4 ', SIGNATURE, version2(0x21, 0x11, ''))
    fc.assert(
      fc.property(beginnings, fc.uint8Array({ minLength: 536, maxLength: 600 }), (beginning, rest) => {
        const bytes = Uint8Array.from([...bytesOf(beginning), ...rest])
        expect(parseProxyHeader(bytes, 0, bytes.length).kind).to.not.equal('need-more')
      }),
    )
  })
})

/** Not at the start of its bytes, so that nobody counts from there. */
function parse(header: string): ProxyHeaderParse {
  const bytes = bytesOf(`##${header}`)
  return parseProxyHeader(bytes, 2, bytes.length)
}
