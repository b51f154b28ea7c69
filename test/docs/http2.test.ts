import { expect } from 'chai'
import { grpcStatusOf } from '../../src/http/grpc.ts'
import { FLAGS } from '../../src/settings/flags.ts'
import { readPage } from './pages.ts'

const NO_ROW = 599

describe('docs/grpc.md', () => {
  const rows = [...readPage('docs/grpc.md').matchAll(/^\| ([\d, ]+|any other) \| (\d+) [A-Z_]+ \|$/gm)].flatMap(
    ([, statuses = '', grpc = '']) =>
      statuses.split(', ').map((status): readonly [number, number] => [Number(status) || NO_ROW, Number(grpc)]),
  )

  it('says of each answer what gRPC is told, and leaves none out (R22-27 to R22-34)', () => {
    for (const [status, grpc] of rows) expect(grpcStatusOf(status), String(status)).to.equal(grpc)
    const every = Array.from({ length: 200 }, (_, index) => 400 + index)
    const unlike = every.filter((status) => grpcStatusOf(status) !== grpcStatusOf(NO_ROW))
    expect(rows.map(([status]) => status)).to.have.members([...unlike, NO_ROW])
  })
})

describe('docs/http2.md', () => {
  it('names every flag of HTTP/2', () => {
    const names = FLAGS.filter(({ group, built }) => built && group === 'HTTP/2').map(({ name }) => name)
    expect(names).to.have.length.above(5)
    const text = readPage('docs/http2.md')
    for (const name of names) expect(text).to.include(`\`${name}\``)
  })
})
