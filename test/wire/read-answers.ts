/** A response as a client reads it. */
export interface SeenAnswer {
  readonly status: number
  readonly head: string
  readonly body: string
}

export interface SeenAnswers {
  readonly answers: readonly SeenAnswer[]
  /** What stands behind the last response that is complete. */
  readonly rest: string
}

/** The complete responses in `text`, none of them to HEAD, by length or in chunks. */
export function readAnswers(text: string): SeenAnswers {
  const answers: SeenAnswer[] = []
  let rest = text
  for (;;) {
    const next = readAnswer(rest)
    if (!next) return { answers, rest }
    answers.push(next.answer)
    rest = rest.slice(next.length)
  }
}

function readAnswer(text: string): { answer: SeenAnswer; length: number } | undefined {
  const end = text.indexOf('\r\n\r\n')
  const status = /^HTTP\/1\.1 (\d{3}) [^\r\n]*\r\n/.exec(text)?.[1]
  if (end < 0 || status === undefined) return undefined
  const head = text.slice(0, end + 2)
  const from = end + 4
  const bodyLength = status.startsWith('1') || status === '204' ? 0 : lengthOf(head, text.slice(from))
  if (bodyLength === undefined || text.length < from + bodyLength) return undefined
  const answer = { status: Number(status), head, body: text.slice(from, from + bodyLength) }
  return { answer, length: from + bodyLength }
}

function lengthOf(head: string, rest: string): number | undefined {
  const length = /^content-length: (\d+)\r$/im.exec(head)?.[1]
  if (length !== undefined) return Number(length)
  if (!/^transfer-encoding: chunked\r$/im.test(head)) return undefined
  const end = rest.indexOf('0\r\n\r\n')
  return end < 0 ? undefined : end + 5
}
