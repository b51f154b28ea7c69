// The settings in force -> the document of GET /admin/config (R33-11).
import { REDACTED, redactedText } from '../observability/redact.ts'

/** One setting of this process, and where its value comes from. */
export interface EffectiveSetting {
  /** The flag with its dashes, or the path of a field of the operator's configuration. */
  readonly name: string
  /** In the words in which it was given. */
  readonly value: string
  readonly origin: 'flag' | 'environment' | 'file' | 'default'
  /** Of the origin `file`: which one, and the line in it, as `FILE:LINE` (R42-13). */
  readonly place?: string
}

/** The document, version 1: in the order of the settings. */
export function configView(settings: readonly EffectiveSetting[]): unknown {
  return {
    version: 1,
    settings: settings.map(({ value, ...setting }) => ({ ...setting, value: withoutSecrets(value) })),
  }
}

/** A URL may carry a password, or a token in its query. */
function withoutSecrets(value: string): string {
  const url = /^https?:/i.test(value) ? URL.parse(value) : null
  if (url === null) return redactedText(value)
  const user = url.username === '' && url.password === '' ? '' : `${REDACTED}@`
  return `${url.protocol}//${user}${url.host}${url.pathname}${url.search === '' ? '' : `?${REDACTED}`}`
}
