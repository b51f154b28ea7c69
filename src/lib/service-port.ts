import { DNS_LABEL } from './dns-name.ts'
import { err, ok, type Result } from './result.ts'

/** A port of a Service as text names it. */
export interface ServicePortText {
  readonly namespace: string
  readonly name: string
  /** By number or by name. */
  readonly port: string
}

// Names of ports are shorter labels (RFC 6335).
const PORT_NAME = /^(?=.*[a-z])[a-z0-9]([a-z0-9-]{0,13}[a-z0-9])?$/

/** The parts of `NAMESPACE/NAME:PORT`; the error says what is allowed. */
export function parseServicePort(text: string): Result<ServicePortText, string> {
  const [, namespace = '', name = '', port = ''] = /^([^/:]+)\/([^/:]+):([^/:]+)$/.exec(text) ?? []
  const valid = DNS_LABEL.test(namespace) && DNS_LABEL.test(name) && isServicePort(port)
  return valid ? ok({ namespace, name, port }) : err('NAMESPACE/NAME:PORT, the port by number or by name')
}

function isServicePort(port: string): boolean {
  return /^\d{1,5}$/.test(port) ? Number(port) >= 1 && Number(port) <= 65_535 : PORT_NAME.test(port)
}
