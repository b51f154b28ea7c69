import { ExchangeRecord } from '../../exchange-record.ts'
import type { AnswerForm, AnswerName } from '../../own-answers.ts'
import { refusalField } from '../../refusals.ts'
import type { Connection } from '../../transport/transport.ts'
import type { WireContext } from './context.ts'

/** Answers on a connection of which no request can be read; to end it is left to the caller. It counts as an exchange. */
export function sendRefusal(
  context: WireContext,
  connection: Connection,
  { name, form }: { readonly name: AnswerName; readonly form: AnswerForm },
): void {
  const { output, answers } = context
  const record = new ExchangeRecord(context)
  record.begun()
  const field = refusalField(name)
  if (field) record.count(field)
  const answer = answers.of(name, form)
  answers.write(answer, { closes: true, clientMinorVersion: 1, date: context.date() }, output, false)
  record.answered(answer.status)
  output.sendTo(connection)
  record.completed()
  record.ended()
}
