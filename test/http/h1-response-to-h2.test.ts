import { expect } from 'chai'
import { ResponseScan } from '../../src/http/h1-response-scan.ts'
import { http2FieldRecord, http2ResponseFields } from '../../src/http/h1-response-to-h2.ts'
import { DONE } from '../../src/http/h1-scan.ts'

function fieldsOf(head: string, status?: number): readonly string[] {
  const scan = new ResponseScan({ maxHeaderBytes: 10_000, maxHeaders: 100 })
  const bytes = Buffer.from(`before${head}`, 'latin1')
  expect(scan.scan(bytes, 6, bytes.length)).to.equal(DONE)
  return http2ResponseFields(scan, bytes.toString('latin1', 6, scan.headEnd), status ?? scan.status)
}

describe('http2ResponseFields', () => {
  it('gives status and fields in their order, names in lower case, duplicates and bytes kept', () => {
    const head =
      'HTTP/1.1 404 Not Found\r\nX-B: caf\xe9\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nContent-Length: 0\r\n\r\n'
    const list = [':status', '404', 'x-b', 'caf\xe9', 'set-cookie', 'a=1', 'set-cookie', 'b=2', 'content-length', '0']
    expect(fieldsOf(head)).to.deep.equal(list)
  })

  it('R20-53: leaves out what is of the connection', () => {
    const own =
      'Connection: close\r\nKeep-Alive: timeout=5\r\nProxy-Connection: x\r\nUpgrade: h2c\r\nHTTP2-Settings: x\r\n'
    expect(fieldsOf(`HTTP/1.1 200 OK\r\n${own}Transfer-Encoding: chunked\r\n\r\n`)).to.deep.equal([':status', '200'])
  })

  it('R22-9: has no result of a handshake where the status is another', () => {
    const head = 'HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: x\r\nSec-WebSocket-Protocol: chat\r\n\r\n'
    expect(fieldsOf(head, 200)).to.deep.equal([':status', '200', 'sec-websocket-protocol', 'chat'])
  })
})

describe('http2FieldRecord', () => {
  it('has one value or all of a name, whatever the name', () => {
    const record = http2FieldRecord(['X-A', '1', 'x-a', '2', '__proto__', 'y', 'constructor', 'z'])
    expect(Object.entries(record)).to.deep.equal([
      ['x-a', ['1', '2']],
      ['__proto__', 'y'],
      ['constructor', 'z'],
    ])
  })
})
