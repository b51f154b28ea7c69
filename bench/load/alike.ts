// Before anything is timed: all contenders do the same job (R60-6).
import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { Contender } from '../contenders/contender.ts'
import { ANSWER } from '../contenders/nginx.ts'
import { startContender } from '../contenders/start.ts'

/** Fields that every contender must tell the upstream, with what they must say; an id is any. */
const WANTED: ReadonlyMap<string, RegExp> = new Map([
  ['host', /^shop\.example$/],
  ['x-real-ip', /^127\.0\.0\.1$/],
  ['x-forwarded-for', /^127\.0\.0\.1$/],
  ['x-forwarded-host', /^shop\.example$/],
  ['x-forwarded-proto', /^http$/],
  ['x-request-id', /^[0-9a-f-]{32,36}$/],
])

/** Throws where a contender answers otherwise than the others, or tells the upstream something else. */
export async function checkAlike(contenders: readonly Contender[], core: number): Promise<void> {
  const seen: IncomingMessage[] = []
  const origin = createServer((incoming, response) => {
    seen.push(incoming)
    response.setHeader('Content-Type', 'text/plain')
    response.end(`${ANSWER}\n`)
  })
  origin.listen(0, '127.0.0.1')
  await once(origin, 'listening')
  const address = origin.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  try {
    for (const contender of contenders) await checkOne(contender, { upstream: `127.0.0.1:${port}`, core, seen })
  } finally {
    origin.closeAllConnections()
    origin.close()
  }
}

async function checkOne(
  contender: Contender,
  { upstream, core, seen }: { readonly upstream: string; readonly core: number; readonly seen: IncomingMessage[] },
): Promise<void> {
  const running = await startContender(contender, upstream, core)
  try {
    for (let turn = 0; turn < 2; turn += 1) {
      const { status, body } = await ask(running.place.port)
      if (status !== 200 || body !== `${ANSWER}\n`) throw new Error(`${contender.name} answered ${status}: ${body}`)
    }
    const headers = new Map(Object.entries(seen.at(-1)?.headers ?? {}))
    for (const [name, pattern] of WANTED) {
      if (contender.lacks?.includes(name)) continue
      const value = String(headers.get(name) ?? '')
      if (!pattern.test(value)) throw new Error(`${contender.name} told the upstream ${name}: ${value}`)
    }
  } finally {
    await running.stop()
  }
}

async function ask(port: number): Promise<{ readonly status: number; readonly body: string }> {
  const asking = request({ port, host: '127.0.0.1', path: '/', headers: { host: 'shop.example' }, agent: false }).end()
  const [response] = (await once(asking, 'response')) as [IncomingMessage]
  let body = ''
  for await (const chunk of response) body += String(chunk)
  return { status: response.statusCode ?? 0, body }
}
