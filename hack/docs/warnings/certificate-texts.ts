// Findings about what clients are shown by TLS.
import type { ReasonTexts } from './reason-text.ts'

export const CERTIFICATE_TEXTS = {
  InvalidTLSEntry: {
    object: 'Ingress',
    field: '`spec.tls[]`',
    found:
      'The entry has neither hosts nor a Secret, a Secret whose certificate names no host and no hosts of its own, a name that no Secret can have, or a host that is none.',
    effect: 'The entry is skipped; where only a host is wrong, for that host.',
    mend: 'Name hosts, a Secret, or both.',
  },
  TLSHostConflict: {
    object: 'Ingress',
    field: '`spec.tls[].hosts`',
    found:
      'The host has another certificate already, or is passed through. Two certificates serve one host only where one has an RSA key and the other an ECDSA key and both Secrets are of one namespace.',
    effect: 'The older Ingress, or the passthrough, serves the host. The message names it.',
    mend: 'Take the host out of one of the two.',
  },
  InvalidCertificate: {
    object: 'Ingress',
    field: '`spec.tls[].secretName`',
    found:
      'The Secret does not exist, may not be read, or holds no certificate and key that can serve; the message says which.',
    effect:
      'Its names get the default certificate; without one their handshakes are refused. Plain HTTP and all other names serve.',
    mend: 'Create or correct the Secret. It is taken up at once.',
  },
  LastGoodCertificate: {
    object: 'Ingress',
    field: '`spec.tls[].secretName`',
    found: 'The Secret held a pair that served. Now it holds one that cannot, or it was deleted.',
    effect:
      'The last good pair serves on: until a good one comes; after a deletion at most until it expires or `--certificate-grace` ends. A new pod does not have it.',
    mend: 'Correct or create the Secret.',
  },
  OpaqueTLSSecret: {
    object: 'Ingress',
    field: '`spec.tls[].secretName`',
    found: 'The Secret has the type `Opaque` and the keys of a TLS Secret.',
    effect: 'It is used as one of the type `kubernetes.io/tls` is.',
    mend: 'Nothing has to be done. The API server checks Secrets of the type `kubernetes.io/tls` when they are written.',
  },
  CertificateExpiring: {
    object: 'Ingress',
    field: '`spec.tls[].secretName`',
    found: 'The certificate of the Secret that it names expires within 21 days.',
    effect: 'It serves on.',
    mend: 'Renew it; whoever issues it usually does so earlier.',
  },
  CertificateExpired: {
    object: 'Ingress',
    field: '`spec.tls[].secretName`',
    found: 'The certificate of the Secret that it names has expired.',
    effect: 'It serves on, and clients that look refuse it.',
    mend: 'Put a new pair into the Secret. It is taken up at once.',
  },
} as const satisfies ReasonTexts
