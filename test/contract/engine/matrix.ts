// Every version of clients against every protocol of backends (R20-179, R22-2, R22-20).
import { expect } from 'chai'
import type { BackendProtocol } from '../../../src/model/upstream-tls.ts'
import type { OriginHandler } from '../../fakes/protocol-origin.ts'
import type { StartBench } from '../engine.ts'
import { type Answer, CLIENTS, type MatrixClient, type Question } from './matrix-clients.ts'
import { breakOff, echo, protocolSetup, type Started, writeTo } from './protocol-bench.ts'

const UPSTREAMS: readonly (BackendProtocol | 'http')[] = ['http', 'https', 'h2c', 'h2']
const LARGE = 'body '.repeat(60_000)

interface Row {
  readonly title: string
  readonly question: Question
  readonly handler: OriginHandler
  readonly answer: (client: MatrixClient) => Partial<Answer>
}

/** Says the length of its answer, which is the body that came. */
const measure: OriginHandler = (incoming, response) => {
  const parts: Buffer[] = []
  incoming.on('data', (chunk: Buffer) => parts.push(chunk))
  incoming.on('end', () => {
    const whole = Buffer.concat(parts)
    response.setHeader('content-length', whole.length)
    response.end(whole)
  })
}

function status(code: number, body = ''): OriginHandler {
  return (incoming, response) => {
    incoming.resume()
    response.statusCode = code
    response.end(body)
  }
}

const ROWS: readonly Row[] = [
  {
    title: 'a body with a length, and one that has none back',
    question: { method: 'POST', path: '/', body: LARGE },
    handler: echo,
    answer: ({ hasTrailers }) => ({ status: 200, body: LARGE, came: hasTrailers ? 'none' : undefined, isWhole: true }),
  },
  {
    title: 'a body without a length, and one that has one back',
    question: { method: 'POST', path: '/', body: LARGE, isOpen: true },
    handler: measure,
    answer: () => ({ status: 200, body: LARGE, isWhole: true }),
  },
  {
    title: 'R20-46: trailers both ways',
    question: { method: 'POST', path: '/', body: 'abc', isOpen: true, sum: '7' },
    handler: echo,
    answer: ({ hasTrailers }) => ({ status: 200, body: 'abc', came: hasTrailers ? '7' : undefined, isWhole: true }),
  },
  {
    title: 'an empty body',
    question: { method: 'POST', path: '/', body: '' },
    handler: measure,
    answer: () => ({ status: 200, body: '', isWhole: true }),
  },
  {
    title: 'R20-55: no body with 204',
    question: { method: 'GET', path: '/' },
    handler: status(204),
    answer: () => ({ status: 204, body: '', isWhole: true }),
  },
  {
    title: 'R20-55: no body for HEAD',
    question: { method: 'HEAD', path: '/' },
    handler: status(200, 'never seen'),
    answer: () => ({ status: 200, body: '', isWhole: true }),
  },
  {
    title: 'an error of the backend as it is',
    question: { method: 'POST', path: '/', body: 'x' },
    handler: status(503, 'not now'),
    answer: () => ({ status: 503, body: 'not now', isWhole: true }),
  },
  {
    title: 'R20-69: a backend that breaks off before its head is 502',
    question: { method: 'POST', path: '/', body: 'x' },
    handler: (_incoming, response) => breakOff(response),
    answer: () => ({ status: 502, body: '502 Bad Gateway: the upstream gave no valid response.\n', isWhole: true }),
  },
  {
    title: 'R20-59: one that breaks off in its body is seen to',
    question: { method: 'GET', path: '/' },
    handler: (_incoming, response) => {
      response.setHeader('content-length', 100)
      writeTo(response, 'part')
      setImmediate(() => breakOff(response))
    },
    answer: () => ({ status: 200, isWhole: false }),
  },
  {
    title: 'R20-58: an answer before the request was read',
    question: { method: 'POST', path: '/', body: LARGE, isOpen: true },
    handler: (_incoming, response) => {
      response.setHeader('content-length', 5)
      response.end('early')
    },
    answer: () => ({ status: 200, body: 'early' }),
  },
]

export function matrixCases(start: StartBench): void {
  const setup = protocolSetup(start)

  for (const client of CLIENTS) {
    for (const protocol of UPSTREAMS) {
      const begin = (): Promise<Started> => setup.start(protocol, { http2: {} })

      describe(`${client.version} from clients, ${protocol} to the backend`, () => {
        for (const { title, question, handler, answer } of ROWS) {
          it(title, async () => {
            const { bench, origin } = await begin()
            origin.handler = handler
            expect(await client.ask(bench, question)).to.deep.include(answer(client))
            await bench.when(() => bench.counters.process('requestsInFlight') === 0)
            expect(bench.counters.inFlight(1)).to.equal(0)
          })
        }

        it('R20-69: no backend is 502', async () => {
          const { bench, origin } = await begin()
          origin.stop()
          const { status: code } = await client.ask(bench, { method: 'POST', path: '/', body: 'x' })
          expect(code).to.equal(502)
        })
      })
    }
  }
}
