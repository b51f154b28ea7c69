import { DNS_LABEL } from '../lib/dns-name.ts'
import { err, ok, type Result } from '../lib/result.ts'

/** A Service by `NAMESPACE/NAME`. */
export interface ServiceName {
  readonly namespace: string
  readonly name: string
}

/** Reads `NAMESPACE/NAME`; the error says what is wanted. */
export function parseServiceName(text: string): Result<ServiceName, string> {
  const [namespace = '', name = '', ...rest] = text.split('/')
  const isValid = DNS_LABEL.test(namespace) && DNS_LABEL.test(name) && rest.length === 0
  return isValid ? ok({ namespace, name }) : err('NAMESPACE/NAME of a Service')
}
