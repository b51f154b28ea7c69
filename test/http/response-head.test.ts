import { expect } from 'chai'
import type { Framing } from '../../src/http/framing.ts'
import { HeaderIndex, type HeaderList } from '../../src/http/header-list.ts'
import { checkResponse } from '../../src/http/response-check.ts'
import {
  downstreamResponseHead,
  interimFields,
  type ResponseParts,
  switchingFields,
} from '../../src/http/response-head.ts'

function headOf(
  fields: HeaderList,
  framing: Framing,
  parts: Partial<ResponseParts> = {},
): ReturnType<typeof downstreamResponseHead> {
  return downstreamResponseHead({
    index: new HeaderIndex(['Server', 's', 'Date', 'd', ...fields]),
    status: 200,
    framing,
    clientMinorVersion: 1,
    closes: false,
    date: 'now',
    ...parts,
  })
}

describe('downstreamResponseHead', () => {
  const chunks = ['Transfer-Encoding', 'Chunked', 'Trailer', 'X']
  const cases: readonly {
    readonly title: string
    readonly head: ReturnType<typeof downstreamResponseHead>
    readonly want: { readonly fields: HeaderList; readonly body: string }
  }[] = [
    {
      title: 'a length stays where it stood',
      head: headOf(['Content-Length', '5', 'X', '1'], { kind: 'length', bytes: 5 }),
      want: { fields: ['Content-Length', '5', 'X', '1'], body: 'length' },
    },
    {
      title: 'chunks stay chunks',
      head: headOf(chunks, { kind: 'chunked' }),
      want: { fields: ['Transfer-Encoding', 'chunked', 'Trailer', 'X'], body: 'chunked' },
    },
    {
      title: 'a body until the close becomes chunks',
      head: headOf([], { kind: 'until-close' }),
      want: { fields: ['Transfer-Encoding', 'chunked'], body: 'chunked' },
    },
    {
      title: 'R20-56: HTTP/1.0 gets no chunks',
      head: headOf(chunks, { kind: 'chunked' }, { clientMinorVersion: 0 }),
      want: { fields: ['Connection', 'close'], body: 'close' },
    },
    {
      title: 'R20-56: HTTP/1.0 is told that the connection stays',
      head: headOf(['Content-Length', '5'], { kind: 'length', bytes: 5 }, { clientMinorVersion: 0 }),
      want: { fields: ['Content-Length', '5', 'Connection', 'keep-alive'], body: 'length' },
    },
    {
      title: 'an answer to HEAD says what GET would have had',
      head: headOf(['Transfer-Encoding', 'chunked'], { kind: 'none' }),
      want: { fields: ['Transfer-Encoding', 'chunked'], body: 'none' },
    },
    {
      title: '204 has neither length nor coding',
      head: headOf(['Content-Length', '5', 'Transfer-Encoding', 'chunked'], { kind: 'none' }, { status: 204 }),
      want: { fields: [], body: 'none' },
    },
    {
      title: '304 keeps its length and has no coding',
      head: headOf(['Content-Length', '5', 'Transfer-Encoding', 'chunked'], { kind: 'none' }, { status: 304 }),
      want: { fields: ['Content-Length', '5'], body: 'none' },
    },
    {
      title: 'a last response says so',
      head: headOf(['Content-Length', '5'], { kind: 'length', bytes: 5 }, { closes: true }),
      want: { fields: ['Content-Length', '5', 'Connection', 'close'], body: 'length' },
    },
  ]

  for (const { title, head, want } of cases) {
    it(title, () => {
      expect(head).to.deep.equal({ fields: ['Server', 's', 'Date', 'd', ...want.fields], body: want.body })
    })
  }
})

describe('interimFields (R20-53)', () => {
  it('lose what is of the hop, what it names, and every word of a body', () => {
    const hop = ['Connection', 'X-Hop', 'X-Hop', '1', 'Keep-Alive', 'timeout=5', 'Proxy-Connection', 'close']
    const framing = ['Content-Length', '5', 'Transfer-Encoding', 'chunked', 'Trailer', 'X']
    expect(interimFields(new HeaderIndex(['Link', '</a>', ...hop, ...framing, 'LINK', '</b>']))).to.deep.equal([
      'Link',
      '</a>',
      'LINK',
      '</b>',
    ])
  })
})

describe('switchingFields (R20-155)', () => {
  it('keep the handshake as it came and lose what can only mean the upstream’s hop', () => {
    const sent = [
      'Connection',
      'Upgrade, X',
      'UPGRADE',
      'a',
      'X',
      '1',
      'Keep-Alive',
      'b',
      'Content-Length',
      '0',
      'x',
      '2',
    ]
    expect(switchingFields(new HeaderIndex(sent))).to.deep.equal([
      'Connection',
      'Upgrade, X',
      'UPGRADE',
      'a',
      'X',
      '1',
      'x',
      '2',
    ])
  })
})

describe('checkResponse (71 J)', () => {
  for (const { status, want } of [
    { status: 99, want: false },
    { status: 101, want: false },
    { status: 199, want: false },
    { status: 200, want: true },
    { status: 599, want: true },
    { status: 600, want: false },
    { status: 999, want: false },
  ]) {
    it(`status ${status} ${want ? 'is relayed' : 'is answered 502'}`, () => {
      expect(checkResponse({ status, fields: [], method: 'GET' }, 10) !== undefined).to.equal(want)
    })
  }

  it('counts every field, duplicates too', () => {
    const fields = Array.from({ length: 22 }, () => 'a')
    expect(checkResponse({ status: 200, fields, method: 'GET' }, 10)).to.equal(undefined)
    expect(checkResponse({ status: 200, fields: fields.slice(2), method: 'GET' }, 10)?.index.names).to.have.length(10)
  })
})
