// Findings about objects as such, about the operator and about the process.
import type { ReasonTexts } from './reason-text.ts'

export const PROCESS_TEXTS = {
  UndecodableObject: {
    object: 'the object',
    field: 'the first field that could not be read',
    told: 'Event where it is ours beyond doubt, else log',
    found: 'A field has another type than the API declares.',
    effect: 'The object is skipped; all others serve.',
    mend: 'Write the object anew.',
  },
  InvalidObject: {
    object: 'ClassParameters',
    field: 'the field',
    found: 'The object is not what its schema allows: it was stored before the schema changed, or past it.',
    effect: 'The object has no effect.',
    mend: 'Correct the field; `kubectl apply` says what is allowed.',
  },
  ObservedGenerationContested: {
    object: 'Ingress',
    field: '`ramjet.dev/observed-generation`',
    found: 'Something else took the annotation away three times within five minutes.',
    effect: 'It is no longer written on that Ingress until the leader changes; everything else goes on.',
    mend: 'Have the reconciler that applies the Ingress ignore this annotation.',
  },
  TooManyReferences: {
    object: 'our IngressClasses',
    field: '-',
    found: 'More Secrets and ConfigMaps are named one by one than are watched one by one.',
    effect: 'Those beyond the bound are asked for once a minute.',
    mend: 'Let objects share Secrets, or divide the cluster among several installs.',
  },
  OperatorConfigInvalid: {
    object: 'our IngressClasses; the process where there is none',
    field: 'file and line',
    found: "The operator's configuration was changed, and cannot be used as it is now.",
    effect: 'The configuration that was read before stays whole.',
    mend: 'Correct the file. Every fault is in the log, with file, line and field.',
  },
  KindForbidden: {
    object: 'the process',
    field: 'verb and kind',
    found: 'The API server does not let Ramjet list or watch a kind.',
    effect:
      'Ramjet asks again each minute. Without Ingresses, IngressClasses, Services or EndpointSlices it is not ready; any other kind is done without.',
    mend: 'Apply `config/rbac`.',
  },
  KindRemoved: {
    object: 'the process',
    field: 'the kind',
    found: 'The API server no longer serves a kind of which there are objects: its CRD was removed.',
    effect: 'The last objects serve on for five minutes. Then they are gone.',
    mend: 'Apply the CRD again, or take out what names its objects.',
  },
  UntrustedForwardedFor: {
    object: 'the process',
    field: '`--trusted-proxies`',
    found: 'More than 100 requests with `X-Forwarded-For` came from private addresses that are not trusted.',
    effect: 'What they say about the client is replaced.',
    mend: 'If a load balancer stands in front, name its range with `--trusted-proxies`.',
  },
  ProxyProtocolFromAnyone: {
    object: 'the process',
    field: '`--proxy-protocol-from`',
    found: 'PROXY headers are taken from everyone.',
    effect: 'Whoever reaches the port may name any address as that of the client.',
    mend: "Name the load balancer's range with `--proxy-protocol-from`, or trust it with `--trusted-proxies`.",
  },
} as const satisfies ReasonTexts
