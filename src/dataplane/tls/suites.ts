// Mozilla's intermediate configuration, version 5.7 (R21-20).

/** Of TLS 1.3: not a matter of a policy. */
const SUITES_13: readonly string[] = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
]

/**
 * Of TLS 1.2, as OpenSSL lists them. Those with DHE need parameters that no context of ours has: they are of the list,
 * and never chosen. Whoever knows one of them knows ECDHE too, which costs a server a fraction.
 */
const SUITES_12 = [
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
  'DHE-RSA-AES128-GCM-SHA256',
  'DHE-RSA-AES256-GCM-SHA384',
  'DHE-RSA-CHACHA20-POLY1305',
].join(':')

/** Groups of the key exchange, the best first. */
export const KEY_GROUPS = 'X25519MLKEM768:X25519:prime256v1:secp384r1'

/** All suites, where a policy names those of TLS 1.2 or leaves them to us. */
export function suitesOf(ciphers: string = SUITES_12): string {
  return [...SUITES_13, ciphers].join(':')
}
