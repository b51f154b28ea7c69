import type { Warning } from '../model/warning.ts'

const FROM_ANYONE: Warning = {
  reason: 'ProxyProtocolFromAnyone',
  object: { kind: 'Process', namespace: '', name: '' },
  field: '--proxy-protocol-from',
  message:
    'PROXY headers are taken from everyone, so that whoever reaches the port may name any address as that of the ' +
    'client; name the load balancer with --proxy-protocol-from',
}

/** What is to be said of how PROXY headers are taken; `expected`: who may send one, `undefined`: none is read (R20-161). */
export function proxyHeaderWarnings(
  expected: { readonly from: readonly string[] | undefined } | undefined,
): readonly Warning[] {
  return expected && !expected.from ? [FROM_ANYONE] : []
}
