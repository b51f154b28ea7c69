import { expect } from 'chai'
import { type H2ResponseParts, h1ResponseHead, h1TrailerSection } from '../../src/http/h2-response-to-h1.ts'
import type { HeaderList } from '../../src/http/header-list.ts'

function headOf(
  status: string,
  fields: HeaderList,
  parts: Partial<H2ResponseParts> = {},
): ReturnType<typeof h1ResponseHead> {
  return h1ResponseHead({ fields: [':status', status, ...fields], isHead: false, isWhole: false, ...parts })
}

describe('h1ResponseHead', () => {
  const cases: readonly {
    readonly title: string
    readonly head: ReturnType<typeof h1ResponseHead>
    readonly text: string
    readonly body: string
  }[] = [
    {
      title: 'a body of unknown length is in chunks',
      head: headOf('200', ['x-a', '1', 'x-a', '2']),
      text: 'HTTP/1.1 200 OK\r\nx-a: 1\r\nx-a: 2\r\nTransfer-Encoding: chunked\r\n\r\n',
      body: 'chunked',
    },
    {
      title: 'a length stays the length',
      head: headOf('404', ['content-length', '5']),
      text: 'HTTP/1.1 404 Not Found\r\ncontent-length: 5\r\n\r\n',
      body: 'length',
    },
    {
      title: 'what ends with its head has no byte',
      head: headOf('200', [], { isWhole: true }),
      text: 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
      body: 'length',
    },
    {
      title: 'an answer to HEAD says only what came',
      head: headOf('200', [], { isHead: true, isWhole: true }),
      text: 'HTTP/1.1 200 OK\r\n\r\n',
      body: 'none',
    },
    {
      title: 'an answer to HEAD keeps the length that GET would have had',
      head: headOf('200', ['content-length', '5'], { isHead: true, isWhole: true }),
      text: 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n',
      body: 'none',
    },
    {
      title: '204 has no body',
      head: headOf('204', [], { isWhole: true }),
      text: 'HTTP/1.1 204 No Content\r\n\r\n',
      body: 'none',
    },
    {
      title: '304 has no body',
      head: headOf('304', ['etag', 'x']),
      text: 'HTTP/1.1 304 Not Modified\r\netag: x\r\n\r\n',
      body: 'none',
    },
    {
      title: 'an interim head frames nothing',
      head: headOf('103', ['link', 'x', 'content-length', '5']),
      text: 'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n',
      body: 'none',
    },
    {
      title: 'what belonged to the hop is gone',
      head: headOf('200', ['connection', 'x', 'keep-alive', 'x', 'transfer-encoding', 'x', 'upgrade', 'x'], {
        isWhole: true,
      }),
      text: 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
      body: 'length',
    },
    {
      title: 'R22-4: white space around a value is none of it',
      head: headOf('299', ['x-a', ' \t1 '], { isWhole: true }),
      text: 'HTTP/1.1 299 \r\nx-a: 1\r\nContent-Length: 0\r\n\r\n',
      body: 'length',
    },
  ]
  for (const { title, head, text, body } of cases) {
    it(title, () => {
      expect(head?.text).to.equal(text)
      expect(head?.body).to.equal(body)
    })
  }

  const none: readonly (readonly [title: string, head: ReturnType<typeof h1ResponseHead>])[] = [
    ['without a status', h1ResponseHead({ fields: ['x', '1'], isHead: false, isWhole: true })],
    ['with a status of two digits', headOf('20', [])],
    ['with a status above 599', headOf('600', [])],
    ['R20-47: with a value that would end its line', headOf('200', ['x', 'a\r\nb: c'])],
    ['R20-47: with a name that is no token', headOf('200', ['x y', 'a'])],
  ]
  for (const [title, head] of none) it(`is none ${title}`, () => expect(head).to.equal(undefined))
})

describe('h1TrailerSection', () => {
  it('is the fields and an empty line', () => {
    expect(h1TrailerSection(['grpc-status', '0', 'x', ''])).to.equal('grpc-status: 0\r\nx: \r\n\r\n')
    expect(h1TrailerSection([])).to.equal('\r\n')
  })

  it('R20-47: is none where a field would split it', () => {
    expect(h1TrailerSection(['x', '\n'])).to.equal(undefined)
  })
})
