// `spec.tls` of one Ingress -> its entries, and what is wrong with them by themselves (R21-10, R21-11).
import type { IngressTls } from '../api/networking.ts'
import { parseRuleHost } from '../lib/host-name.ts'
import type { ObjectRef } from '../model/object-ref.ts'
import type { TlsEntry } from './contribution.ts'
import { type Finding, quote } from './finding.ts'

export interface TlsReading {
  readonly entries: readonly TlsEntry[]
  readonly findings: readonly Finding[]
}

const SECRET_NAME = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/

/** Reads the entries of `object`. One of which every host is lost stays: it is no entry without hosts. */
export function readTls(object: ObjectRef, written: readonly IngressTls[]): TlsReading {
  const readings = written.map((entry, index) => readEntry(object, entry, `spec.tls[${index}]`))
  return {
    entries: readings.flatMap(({ entries }) => entries),
    findings: readings.flatMap(({ findings }) => findings),
  }
}

function readEntry(object: ObjectRef, { hosts = [], secretName = '' }: IngressTls, field: string): TlsReading {
  if (secretName === '' && hosts.length === 0) return skipped(object, field, 'it has neither hosts nor a secretName')
  if (secretName !== '' && !SECRET_NAME.test(secretName)) {
    return skipped(object, field, `no Secret can have the name ${quote(secretName)}`)
  }
  const names: string[] = []
  const findings: Finding[] = []
  for (const [index, text] of hosts.entries()) {
    const host = parseRuleHost(text)
    if (host.ok) names.push(host.value)
    else findings.push(invalidHost(object, `${field}.hosts[${index}]`, `host ${quote(text)} ${host.error}`))
  }
  const source: TlsEntry['source'] =
    secretName === ''
      ? { kind: 'default' }
      : { kind: 'secret', key: `${object.namespace}/${secretName}`, name: secretName }
  return { entries: [{ hosts: hosts.length === 0 ? undefined : names, source, field }], findings }
}

function skipped(object: ObjectRef, field: string, found: string): TlsReading {
  return {
    entries: [],
    findings: [{ reason: 'InvalidTLSEntry', object, field, found, effect: 'the entry is skipped' }],
  }
}

function invalidHost(object: ObjectRef, field: string, found: string): Finding {
  return { reason: 'InvalidTLSEntry', object, field, found, effect: 'the entry is skipped for it' }
}
