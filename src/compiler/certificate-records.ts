import type { CertificateFacts, CertificateRecord, CertificateUser } from '../model/certificate-record.ts'
import type { Certificate } from '../model/certificate-table.ts'
import { refOf } from '../model/object-ref.ts'
import type { CertificateState } from './certificates.ts'
import type { Contribution } from './contribution.ts'
import { compareText } from './order.ts'
import type { CompileResult } from './result.ts'
import { usableOf } from './server-name.ts'
import { type Claim, secretKeysOf, TlsEntries } from './tls-entries.ts'

/**
 * What is known of each certificate that something names, Secrets first, each kind by name. A Secret that nobody has
 * looked for yet is not there.
 */
export function certificateRecords({ memo }: Pick<CompileResult, 'memo'>): readonly CertificateRecord[] {
  const { certificates, file } = memo
  const { secrets, sources } = certificates
  const { selfSigned } = sources
  const entries = new TlsEntries(secretKeysOf)
  return [
    ...[...secrets].toSorted(compareText).flatMap((key) => secretRecord(key, certificates, entries)),
    ...(file.contribution ? fileRecords(file.contribution) : []),
    ...(selfSigned
      ? [{ source: 'default', namespace: '', secret: '', serving: factsOf(selfSigned), users: [] } as const]
      : []),
  ]
}

/** Whether the records of two results are the same: then nobody has to look at them again. */
export function areSameCertificates(before: CompileResult | undefined, after: CompileResult): boolean {
  return before?.memo.certificates === after.memo.certificates && before.memo.file === after.memo.file
}

function secretRecord(
  key: string,
  { sources, bySecret }: CertificateState,
  entries: TlsEntries,
): readonly CertificateRecord[] {
  const secret = sources.secrets.get(key)
  if (!secret) return []
  const { namespace, name } = refOf('Secret', key)
  const usable = usableOf(secret)
  return [
    {
      source: key === sources.defaultSecret ? 'default' : 'ingress',
      namespace,
      secret: name,
      serving: usable && factsOf(usable),
      ...(secret.current.ok ? {} : { problem: secret.current.error }),
      users: entries.of(key, bySecret.get(key) ?? []).map(userOf),
    },
  ]
}

function userOf({ by, entry }: Claim): CertificateUser {
  return { object: by.object, field: `${entry.field}.secretName` }
}

function fileRecords({ object, tls }: Contribution): readonly CertificateRecord[] {
  return tls.flatMap(({ source, field }) => {
    if (source.kind !== 'pair') return []
    return [
      {
        source: 'file',
        namespace: '',
        secret: `${object.name} ${field}`,
        serving: factsOf(source.certificate),
        users: [],
      },
    ]
  })
}

function factsOf({ handle, names, notBeforeMs, notAfterMs }: Certificate): CertificateFacts {
  return { handle, names, notBeforeMs, notAfterMs }
}
