// Sends a row in one of its shapes and says what is wrong with what came of it.
import { eventually, settled } from '../fakes/clock.ts'
import { AFTER, BEFORE } from './origin.ts'
import { readAnswers, type SeenAnswers } from './read-answers.ts'
import { type SeenRequest, valuesOf } from './read-request.ts'
import { LOOK_MS, PATIENCE_MS, type ProbeConnection, type WireBench } from './wire-bench.ts'
import { get, type WantedRequest, type WireRow } from './wire-row.ts'

/** How the bytes of a row are sent. */
export interface Shape {
  readonly title: string
  /** Each written when the engine has read the one before. */
  readonly parts: readonly string[]
  readonly isCut: boolean
  /** Whether a good request stands before the row, in one write with it. */
  readonly isBehind: boolean
}

/** What came of one row in one shape. */
export interface Outcome {
  readonly row: WireRow
  readonly shape: Shape
  readonly answers: SeenAnswers
  readonly isEnded: boolean
  readonly isLate: boolean
  readonly seen: () => readonly SeenRequest[]
}

/** A row above this size is cut at `SAMPLES` places, any other one behind every byte (R71-5). */
const SMALL = 4096
const SAMPLES = 64

/** Every shape of a row: whole, behind a good request, and cut in two unless that says nothing of it. */
export function shapesOf({ bytes, shapes }: WireRow): readonly Shape[] {
  return [
    { title: 'whole', parts: [bytes], isCut: false, isBehind: false },
    { title: 'behind a good request', parts: [get(BEFORE) + bytes], isCut: false, isBehind: true },
    ...(shapes === 'few' ? [] : cutsOf(bytes)).map((at) => ({
      title: `cut at ${at}`,
      parts: [bytes.slice(0, at), bytes.slice(at)],
      isCut: true,
      isBehind: false,
    })),
  ]
}

function cutsOf(bytes: string): readonly number[] {
  const last = bytes.length - 1
  if (bytes.length <= SMALL) return Array.from({ length: last }, (_none, index) => index + 1)
  return Array.from({ length: SAMPLES }, (_none, index) => 1 + Math.floor((index * (last - 1)) / (SAMPLES - 1)))
}

/** Sends `row` in `shape` and waits for everything that it must lead to. */
export async function sendProbe(bench: WireBench, row: WireRow, shape: Shape): Promise<Outcome> {
  const connection = await bench.connect()
  const { probe, client } = connection
  if (row.origin) bench.origin.script(probe, row.origin)
  const isLate = await outOfPatience(converse(bench, connection, { row, shape }))
  const outcome = { row, shape, answers: readAnswers(client.text), isEnded: client.isEnded, isLate }
  client.socket.destroy()
  return { ...outcome, seen: () => bench.origin.seen(probe) }
}

async function converse(
  bench: WireBench,
  connection: ProbeConnection,
  { row, shape }: { readonly row: WireRow; readonly shape: Shape },
): Promise<void> {
  const { client } = connection
  if (row.pace?.kind === 'deaf') client.socket.pause()
  let sent = 0
  for (const part of shape.parts) {
    client.write(part)
    sent += part.length
    await connection.read(sent)
  }
  if (row.pace?.kind === 'trickle') {
    await begun(bench, connection, { row, shape })
    await trickle(bench, connection, { ...row.pace, sent })
  }
  if (row.pace?.kind === 'deaf') await outlast(bench, connection)
  const count = row.answers.length + (shape.isBehind ? 1 : 0)
  await client.when(() => client.isEnded || readAnswers(client.text).answers.length >= count, 'the answers')
  if (row.ending !== 'open') await client.untilEnd()
  else {
    client.write(get(AFTER))
    await client.when(() => client.isEnded || readAnswers(client.text).answers.length > count, 'the answer after it')
  }
}

/** Resolves when time may pass: what stands before the row is answered, and its head is where it goes. */
async function begun(
  bench: WireBench,
  { probe, client }: ProbeConnection,
  { row, shape }: { readonly row: WireRow; readonly shape: Shape },
): Promise<void> {
  const before = shape.isBehind ? 1 : 0
  const heads = before + (row.upstream === 'nothing' ? 0 : 1)
  await client.when(() => readAnswers(client.text).answers.length >= before, 'the answer before it')
  await eventually(() => bench.origin.seen(probe).length >= heads)
}

type Trickle = Extract<WireRow['pace'], { readonly kind: 'trickle' }> & { readonly sent: number }

/** Sends byte after byte as time passes; an engine that gives up before it may is seen by bytes that nobody reads. */
async function trickle(bench: WireBench, connection: ProbeConnection, slow: Trickle): Promise<void> {
  const { bytes, everyMs, lastMs, sent } = slow
  const { client } = connection
  for (let count = 1; count <= bytes.length; count += 1) {
    bench.clock.advance(everyMs)
    client.write(bytes.charAt(count - 1))
    await connection.read(sent + count)
    await looked()
    if (client.isEnded) throw new Error(`given up after ${count * everyMs} ms`)
  }
  bench.clock.advance(lastMs)
}

/** Resolves when an engine that looks at its deadlines every `LOOK_MS` has done so: timers run in their order. */
function looked(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 2 * LOOK_MS)
  })
}

/** Takes nothing until the engine has given the connection up, then what is left. */
async function outlast(bench: WireBench, connection: ProbeConnection): Promise<void> {
  while (!connection.isGivenUp()) {
    bench.clock.advance(1000)
    await settled()
  }
  connection.client.socket.resume()
}

/** Whether `work` took too long. That it failed is seen in what came of it. */
async function outOfPatience(work: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(true), PATIENCE_MS)
  })
  const done = work.then(
    () => false,
    () => false,
  )
  const isLate = await Promise.race([done, late])
  clearTimeout(timer)
  return isLate
}

/** What is wrong with what the client got; `undefined`: nothing. */
export function faultInAnswers(outcome: Outcome): string | undefined {
  const { row: wanted, shape, isEnded, isLate } = outcome
  const { answers, rest } = outcome.answers
  const statuses = [...(shape.isBehind ? [200] : []), ...wanted.answers, ...(wanted.ending === 'open' ? [200] : [])]
  const got = answers.map(({ status }) => status)
  if (got.join(' ') !== statuses.join(' ')) return `answers ${got.join(' ')} instead of ${statuses.join(' ')}`
  const isRest = wanted.rest === undefined ? rest === '' : wanted.rest.test(rest)
  if (!isRest) return `bytes behind the answers: ${quoted(rest)}`
  if (isEnded === (wanted.ending === 'open'))
    return isEnded ? 'the connection was closed' : 'the connection was left open'
  if (isLate) return 'too late'
  const ours = answers.find(({ status, body }) => status >= 400 && body !== '' && !body.startsWith(`${status} `))
  if (ours) return `an answer in another form than ours: ${quoted(ours.body)}`
  const closing = answers.filter(({ head }) => /^connection: close\r$/im.test(head))
  if (closing.length !== (wanted.ending === 'close' ? 1 : 0)) return `${closing.length} answers with Connection: close`
  return undefined
}

function faultInUpstream({ row: wanted, shape, seen }: Outcome): string | undefined {
  const around = [...(shape.isBehind ? [BEFORE] : []), ...(wanted.ending === 'open' ? [AFTER] : [])]
  const requests = seen()
  const own = requests.filter(({ line }) => line !== `GET ${BEFORE} HTTP/1.1` && line !== `GET ${AFTER} HTTP/1.1`)
  if (requests.length - own.length !== around.length) return `${requests.length - own.length} good requests upstream`
  if (wanted.upstream === 'nothing') return own[0] && `reached the upstream: ${quoted(textOf(own[0]))}`
  if (wanted.upstream === 'unfinished') {
    const whole = own.find(({ isComplete }) => isComplete)
    return whole && `was completed upstream: ${quoted(textOf(whole))}`
  }
  if (own.length !== wanted.upstream.length)
    return `${own.length} requests upstream: ${own.map(textOf).map(quoted).join()}`
  for (const [index, want] of wanted.upstream.entries()) {
    const request = own[index]
    const fault = request && faultInRequest(request, want)
    if (request && fault !== undefined) return `${fault} in ${quoted(textOf(request))}`
  }
  return undefined
}

function faultInRequest(request: SeenRequest, wanted: WantedRequest): string | undefined {
  if (!request.isComplete) return 'no end'
  if (request.line !== wanted.line) return `another line than "${wanted.line}"`
  for (const line of wanted.fields ?? []) {
    if (request.fields.filter((field) => field === line).length !== 1) return `not one field "${line}"`
  }
  const extra = (wanted.without ?? []).find((name) => valuesOf(request.fields, name).length > 0)
  if (extra !== undefined) return `a field ${extra}`
  if (request.body !== (wanted.body ?? '')) return 'another body'
  return request.trailers.join('|') === (wanted.trailers ?? []).join('|') ? undefined : 'other trailers'
}

/** For people: the row, its shape, what is wrong, what was sent and what came back. `undefined`: nothing is wrong. */
export function describeFault(outcome: Outcome): string | undefined {
  const fault = faultInAnswers(outcome) ?? faultInUpstream(outcome)
  if (fault === undefined) return undefined
  const { row, shape, answers } = outcome
  const came = answers.answers.map(({ head, body }) => `${head}\r\n${body}`).join('') + answers.rest
  const sent = shape.parts.map(quoted).join(' + ')
  return `71 #${row.number ?? '-'} ${row.id}, ${shape.title}: ${fault}\n      sent ${sent}\n      came ${quoted(came)}`
}

function textOf({ line, fields, body, isComplete }: SeenRequest): string {
  return [line, ...fields, '', body].join('\r\n') + (isComplete ? '' : ' (unfinished)')
}

function quoted(text: string): string {
  const shown = text.length > 400 ? `${text.slice(0, 200)}[${text.length - 400} bytes]${text.slice(-200)}` : text
  return JSON.stringify(shown)
}
