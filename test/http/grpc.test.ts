import { expect } from 'chai'
import { grpcMessage, grpcStatusOf, isGrpcType, namesGrpcType } from '../../src/http/grpc.ts'

const TYPES: readonly (readonly [type: string, isGrpc: boolean])[] = [
  ['application/grpc', true],
  ['application/grpc+proto', true],
  ['application/grpc; charset=utf-8', true],
  ['Application/GRPC+json', true],
  ['application/grpc-', true],
  ['application/grpc-we', true],
  ['application/grpc-web', false],
  ['application/gRPC-Web-text+proto', false],
  ['application/grp', false],
  ['application/json', false],
  ['x application/grpc', false],
  ['', false],
]

describe('content types of gRPC (R22-24, R22-38)', () => {
  for (const [type, isGrpc] of TYPES) {
    it(`${type || 'none'}: ${isGrpc}, as bytes and as text`, () => {
      const bytes = Buffer.from(`>${type}<-web`, 'latin1')
      expect(isGrpcType(bytes, 1, 1 + type.length)).to.equal(isGrpc)
      expect(namesGrpcType(['A', 'b', 'content-Type', type, 'C', 'd'])).to.equal(isGrpc)
    })
  }

  it('are told by the last field of the name', () => {
    const both = ['Content-Type', 'application/grpc', 'content-type', 'text/plain']
    expect(namesGrpcType(both)).to.equal(false)
    expect(namesGrpcType([...both.slice(2), ...both.slice(0, 2)])).to.equal(true)
    expect(namesGrpcType(['X-Content-Type', 'application/grpc'])).to.equal(false)
  })
})

describe('grpcStatusOf', () => {
  const rows: Readonly<Record<string, readonly [grpcStatus: number, ...statuses: readonly number[]]>> = {
    'R22-27': [13, 400],
    'R22-28': [16, 401],
    'R22-29': [7, 403],
    'R22-30': [12, 404, 405],
    'R22-31': [4, 408, 504],
    'R22-32': [8, 413, 429, 431],
    'R22-33': [14, 421, 502, 503],
    'R22-34': [2, 414, 501, 505, 500, 418],
  }
  for (const [rule, [grpcStatus, ...statuses]] of Object.entries(rows)) {
    it(`${rule}: ${statuses.join(', ')} is ${grpcStatus}`, () => {
      for (const status of statuses) expect(grpcStatusOf(status), String(status)).to.equal(grpcStatus)
    })
  }
})

describe('grpcMessage (R22-26)', () => {
  it('keeps printable ASCII, spaces too, and encodes the rest by its bytes', () => {
    expect(grpcMessage('404 Not Found: no route; "a" ~/!')).to.equal('404 Not Found: no route; "a" ~/!')
    expect(grpcMessage('100 %\n')).to.equal('100 %25%0A')
    expect(grpcMessage('caf\u00e9 \u{1f680}\x7f')).to.equal('caf%C3%A9 %F0%9F%9A%80%7F')
  })
})
