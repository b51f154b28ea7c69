import type { CertificateRecord } from '../model/certificate-record.ts'
import type { Logger } from '../observability/log.ts'

/** Tells in the log how it stands with the Secret of `--default-tls-secret`: no object is to blame for a flag. */
export class DefaultCertificateLog {
  readonly #log: Logger
  #problem = ''

  constructor(log: Logger) {
    this.#log = log
  }

  /** Looks at what is known now, and tells what is another matter than before. */
  update(records: readonly CertificateRecord[]): void {
    const record = records.find((one) => one.source === 'default' && !isOwn(one))
    if (!record) return
    const { namespace, secret, serving, problem = '' } = record
    if (problem === this.#problem) return
    this.#problem = problem
    const effect = effectOf(serving !== undefined, records.some(isOwn))
    if (problem === '') this.#log.info({ namespace, secret }, 'the default certificate can serve again')
    else this.#log.warn({ namespace, secret, problem, effect }, 'the Secret of the default certificate is of no use')
  }
}

/** Whether it is the certificate that this process made (`--self-signed-default`). */
function isOwn({ source, secret }: CertificateRecord): boolean {
  return source === 'default' && secret === ''
}

function effectOf(hasLastGood: boolean, hasOwn: boolean): string {
  if (hasLastGood) return 'the last good pair serves on'
  return hasOwn ? 'the certificate that was made at start serves' : 'there is no default certificate'
}
