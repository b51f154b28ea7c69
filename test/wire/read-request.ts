/** One request as it reached the origin. */
export interface SeenRequest {
  /** The request line. */
  readonly line: string
  /** The field lines, in order. */
  readonly fields: readonly string[]
  /** Decoded; as far as it came. */
  readonly body: string
  /** The lines of the trailer section. */
  readonly trailers: readonly string[]
  readonly isComplete: boolean
}

export interface ReadRequest extends SeenRequest {
  /** How many bytes it takes; of one that is not complete, all that there are. */
  readonly length: number
  /** What nobody should have to interpret: two readers could read it in two ways. */
  readonly faults: readonly string[]
}

const LINE = /^[!-~]+ \/[!-~]* HTTP\/1\.1$/
const FIELD = /^[!#$%&'*+\-.^_`|~\w]+: ?[\t\x20-\x7e\x80-\xff]*$/

/** The request that `bytes` begin with, read as strictly as can be; `undefined` while its head is not complete. */
export function readRequest(bytes: string): ReadRequest | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [line = '', ...fields] = bytes.slice(0, end).split('\r\n')
  const faults = fields.filter((field) => !FIELD.test(field))
  if (!LINE.test(line)) faults.push(line)
  const from = end + 4
  const codings = valuesOf(fields, 'transfer-encoding')
  const lengths = valuesOf(fields, 'content-length')
  if (codings.length + lengths.length > 1) faults.push([...codings, ...lengths].join())
  if (codings.length > 0) return { line, fields, ...readChunks(bytes, from, faults) }
  const length = Number(lengths[0] ?? 0)
  if (!/^\d+$/.test(lengths[0] ?? '0')) faults.push(`Content-Length: ${lengths[0]}`)
  const body = bytes.slice(from, from + length)
  const isComplete = body.length === length
  return { line, fields, body, trailers: [], isComplete, length: from + body.length, faults }
}

/** The values of all fields of this name, given in lower case. */
export function valuesOf(fields: readonly string[], name: string): readonly string[] {
  return fields
    .filter((field) => field.toLowerCase().startsWith(`${name}:`))
    .map((field) => field.slice(name.length + 1).trim())
}

type Rest = Omit<ReadRequest, 'line' | 'fields'>

function readChunks(bytes: string, from: number, faults: string[]): Rest {
  const unfinished = { trailers: [], isComplete: false, length: bytes.length, faults }
  let body = ''
  let at = from
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd < 0) return { body, ...unfinished }
    const text = bytes.slice(at, lineEnd)
    if (!/^[\da-f]{1,8}$/i.test(text)) {
      faults.push(`chunk size ${JSON.stringify(text)}`)
      return { body, ...unfinished }
    }
    const size = Number.parseInt(text, 16)
    at = lineEnd + 2
    if (size === 0) return { body, ...readTrailers(bytes, at, faults) }
    body += bytes.slice(at, at + size)
    if (bytes.length < at + size + 2) return { body, ...unfinished }
    if (bytes.slice(at + size, at + size + 2) !== '\r\n') faults.push('a chunk without its end')
    at += size + 2
  }
}

function readTrailers(bytes: string, from: number, faults: string[]): Omit<Rest, 'body'> {
  const trailers: string[] = []
  for (let at = from; ; ) {
    const end = bytes.indexOf('\r\n', at)
    if (end < 0) return { trailers, isComplete: false, length: bytes.length, faults }
    const line = bytes.slice(at, end)
    at = end + 2
    if (line === '') return { trailers, isComplete: true, length: at, faults }
    if (!FIELD.test(line)) faults.push(line)
    trailers.push(line)
  }
}
