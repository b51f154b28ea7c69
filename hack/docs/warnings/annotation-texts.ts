// Findings about annotations.
import type { ReasonTexts } from './reason-text.ts'

export const ANNOTATION_TEXTS = {
  InvalidAnnotation: {
    object: 'Ingress',
    field: 'the annotation',
    found: 'Its value is not one that the key takes, needs another key that is not set, or does not fit a path.',
    effect: 'The default holds, or the feature is off; the route serves.',
    mend: 'Correct the value; [annotations](annotations.md) says what is valid. It acts at once then.',
  },
  AccessRuleInvalid: {
    object: 'Ingress',
    field: 'the annotation',
    found:
      'An annotation guards access, or says how a backend is verified, and cannot act: it is not in this build, its value is bad, or the object that it names is missing or of no use. The message says which.',
    effect:
      'Everything that it guards answers 503: nobody gets in unguarded, and nothing is sent to whom nobody verified.',
    mend: 'Correct the value, or the object that it names: it acts at once then. Where it is not in this build, take it out once access is guarded elsewhere.',
  },
  UnsupportedAnnotation: {
    object: 'Ingress',
    field: 'the annotation',
    found:
      'Ramjet does not act on the annotation: it is not in this build, is never read, or neither Ramjet nor ingress-nginx knows it. [Annotations](annotations.md) lists them.',
    effect:
      'It does nothing, but that a canary takes no traffic; the message says so where it would change who may get in.',
    mend: 'Take it out, or accept that it does nothing.',
  },
  UnknownAnnotation: {
    object: 'Ingress',
    field: 'the annotation',
    found: 'No annotation under `ramjet.dev/` has this name.',
    effect: 'It does nothing; the message names the nearest known one.',
    mend: 'Correct the spelling.',
  },
  AnnotationConflict: {
    object: 'Ingress',
    field: 'the annotation',
    found:
      'An older Ingress set the key to something else for the same host or Service port, or has the name that an alias asks for.',
    effect: 'The older one’s value holds; the message names it.',
    mend: 'Set the key on one of them, or to the same value on all.',
  },
  AnnotationShadowed: {
    object: 'Ingress',
    field: 'the annotation',
    found: 'It has a key of ingress-nginx beside the `ramjet.dev/` key of the same name.',
    effect: 'The `ramjet.dev/` key rules; the other is not read.',
    mend: 'Take one of the two out.',
  },
  UnsupportedBackendProtocol: {
    object: 'Ingress',
    field: '`backend-protocol`',
    found: 'It asks for `AUTO_HTTP` or `FCGI`.',
    effect: 'HTTP is spoken to the backend.',
    mend: 'Ask for `HTTP`, `HTTPS`, `GRPC` or `GRPCS`.',
  },
  BackendProtocolConflict: {
    object: 'Ingress',
    field: '`backend-protocol`',
    found: 'An older Ingress asks for another protocol for the same Service port, which has one.',
    effect: "The older Ingress's protocol is spoken.",
    mend: 'Agree on one, or give the Service a second port.',
  },
  UpstreamNotVerified: {
    object: 'Ingress',
    field: '`proxy-ssl-verify`',
    found: 'The backend is dialled by TLS, and nobody asked for its certificate to be verified.',
    effect: 'The connection is private; whoever answers on it is believed.',
    mend: 'Set `proxy-ssl-verify: "on"`, and `proxy-ssl-secret` to a Secret with `ca.crt`.',
  },
} as const satisfies ReasonTexts
