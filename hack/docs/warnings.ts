import { actionOf, DECISION_REASONS, type DecisionReason } from '../../src/model/event-reasons.ts'
import { WARNING_REASONS, type WarningReason } from '../../src/model/warning.ts'
import { markdownTable, type Page } from './markdown.ts'

interface ReasonText {
  /** The kind of the object that is told. */
  readonly object: string
  readonly field: string
  /** What was found. */
  readonly found: string
  /** What Ramjet does instead. */
  readonly effect: string
  /** How its author mends it. */
  readonly mend: string
}

// A reason without a text does not compile, and so does a text without a reason.
const TEXTS: Readonly<Record<WarningReason, ReasonText>> = {
  UnknownIngressClass: {
    object: 'Ingress that nobody claims',
    field: '`spec.ingressClassName`',
    found: 'It names an IngressClass that does not exist.',
    effect: 'The Ingress is not served.',
    mend: 'Create the class, or correct its name.',
  },
  InvalidParameters: {
    object: 'IngressClass; each Ingress of it',
    field: '`spec.parameters`; of an Ingress `spec.ingressClassName`',
    found:
      'The ClassParameters that the class names cannot be used: they do not exist in a watched namespace, are invalid, or the reference names another kind or scope.',
    effect: 'The class is not served, and none of its Ingresses is.',
    mend: 'Create or correct the ClassParameters, or the reference to them. It is served at once then.',
  },
  InvalidHost: {
    object: 'Ingress, File',
    field: '`spec.rules[].host`',
    found: 'The host is neither a DNS name nor `*.` and a DNS name.',
    effect: 'That rule is lost; the others serve.',
    mend: 'Write a name of letters, digits and hyphens, without a port.',
  },
  UnknownPathType: {
    object: 'Ingress',
    field: '`spec.rules[].http.paths[].pathType`',
    found: 'The path type is none of `Exact`, `Prefix` and `ImplementationSpecific`.',
    effect: 'It is read as `ImplementationSpecific`.',
    mend: 'Use one of the three.',
  },
  InvalidPath: {
    object: 'Ingress, File',
    field: '`spec.rules[].http.paths[].path`',
    found: 'The path cannot match any request: it does not begin with `/`, or a request with it would be refused.',
    effect: 'That path is lost; the others serve.',
    mend: 'Write an absolute path; a percent sign is followed by two hexadecimal digits.',
  },
  InvalidRegex: {
    object: 'Ingress, File',
    field: '`spec.rules[].http.paths[].path`',
    found: 'The regular expression does not compile, or uses lookaround or a backreference.',
    effect: 'That path is lost; the others serve.',
    mend: 'Write it in RE2 syntax.',
  },
  RegexTooLarge: {
    object: 'Ingress, File',
    field: '`spec.rules[].http.paths[].path`',
    found: 'The regular expression is too long, or too large with its repetitions written out.',
    effect: 'That path is lost; the others serve.',
    mend: 'Shorten it, or use `*` and `+` in place of large counts.',
  },
  RegexTooMany: {
    object: 'Ingress, File',
    field: '`spec.rules[].http.paths[].path`',
    found: 'The host already has as many regular expressions as it may.',
    effect: 'That path is lost; those of older Ingresses serve.',
    mend: 'Use `Prefix` and `Exact` where they suffice.',
  },
  RouteConflict: {
    object: 'Ingress, File',
    field: '`spec.rules[].http.paths[].path`',
    found: 'An older Ingress has the same host, path and path type.',
    effect: 'The older one serves the path; the message names it.',
    mend: 'Take the rule out of one of the two.',
  },
  UnresolvableService: {
    object: 'Ingress',
    field: '`spec.rules[].http.paths[].backend.service`',
    found: 'The Service does not exist in the Ingress’s namespace, or lacks the port.',
    effect: 'The path answers 503.',
    mend: 'Create the Service or correct the reference; the route heals by itself.',
  },
  UnsupportedBackend: {
    object: 'Ingress',
    field: '`spec.rules[].http.paths[].backend.resource`',
    found: 'The backend is a resource and not a Service.',
    effect: 'The path answers 503.',
    mend: 'Name a Service.',
  },
  UnsupportedValue: {
    object: 'Ingress',
    field: '`spec.rules[].http.paths[].backend.service.port`',
    found:
      'The Service is to be dialled by its cluster IP and is headless, and its port has a name for its `targetPort`: each pod may mean another number by it.',
    effect: 'The route answers 503.',
    mend: 'Give the port a numeric `targetPort`, or let its endpoints be dialled.',
  },
  ExternalNameDisabled: {
    object: 'Ingress',
    field: '`spec.rules[].http.paths[].backend.service`',
    found: 'The Service is of type ExternalName. To follow it lets whoever writes a Service point the proxy anywhere.',
    effect: 'The path answers 503.',
    mend: 'Start Ramjet with `--allow-external-name`, or give the Service endpoints.',
  },
  UpstreamAddressDenied: {
    object: 'Ingress',
    field: '`spec.rules[].http.paths[].backend.service`',
    found:
      'An endpoint has an address that is never dialled for a cluster object: loopback, link-local, multicast or unspecified.',
    effect: 'That address is not used; where no other is left, the path answers 503.',
    mend: 'Correct whoever writes the EndpointSlice, or what the external name resolves to.',
  },
  EndpointsMissing: {
    object: 'Ingress',
    field: '`spec.rules[].http.paths[].backend.service`',
    found: 'The Service has no endpoint that serves.',
    effect: 'The path answers 503 with `Retry-After: 1` until one does.',
    mend: 'Nothing, if pods are starting; otherwise look at the Service’s selector and at its pods.',
  },
  EndpointsSkipped: {
    object: 'Service',
    field: 'the slice’s address',
    found: 'An EndpointSlice holds an address that is no IP address, or is of type FQDN.',
    effect: 'That address is not used.',
    mend: 'Correct whoever writes the slice.',
  },
  DefaultBackendConflict: {
    object: 'Ingress',
    field: '`spec.defaultBackend`',
    found: 'An older Ingress has a default backend for the same hosts.',
    effect: 'The older one’s is used; the message names it.',
    mend: 'Take one of the two out.',
  },
  DefaultBackendShadowed: {
    object: 'Ingress',
    field: '`spec.defaultBackend`',
    found: 'A rule without a host takes every path.',
    effect: 'The default backend is never reached; the message names the rule.',
    mend: 'Take one of the two out.',
  },
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
    found: 'An annotation guards access, and this build cannot enforce it.',
    effect: 'Everything that it guards answers 503: nobody gets in unguarded.',
    mend: 'Take the annotation out once access is guarded elsewhere.',
  },
  UnsupportedAnnotation: {
    object: 'Ingress',
    field: 'the annotation',
    found: 'Ramjet knows the annotation and does not act on it in this build.',
    effect: 'It does nothing.',
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
  OpaqueTLSSecret: {
    object: 'Ingress',
    field: '`spec.tls[].secretName`',
    found: 'The Secret has the type `Opaque` and the keys of a TLS Secret.',
    effect: 'It is used as one of the type `kubernetes.io/tls` is.',
    mend: 'Nothing has to be done. The API server checks Secrets of the type `kubernetes.io/tls` when they are written.',
  },
  UndecodableObject: {
    object: 'the object',
    field: 'the first field that could not be read',
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
    found: 'The API server does not let Ramjet list or watch a kind that it needs.',
    effect: 'Ramjet is not ready, and asks again each minute.',
    mend: 'Apply `config/rbac`.',
  },
  KindRemoved: {
    object: 'the process',
    field: 'the kind',
    found: 'The API server no longer serves a kind of which there are objects: its CRD was removed.',
    effect: 'The last objects serve on for five minutes. Then they are gone.',
    mend: 'Apply the CRD again, or take out what names its objects.',
  },
  ProxyProtocolFromAnyone: {
    object: 'the process',
    field: '`--proxy-protocol-from`',
    found: 'PROXY headers are taken from everyone.',
    effect: 'Whoever reaches the port may name any address as that of the client.',
    mend: "Name the load balancer's range with `--proxy-protocol-from`, or trust it with `--trusted-proxies`.",
  },
  UntrustedForwardedFor: {
    object: 'the process',
    field: '`--trusted-proxies`',
    found: 'More than 100 requests with `X-Forwarded-For` came from private addresses that are not trusted.',
    effect: 'What they say about the client is replaced.',
    mend: 'If a load balancer stands in front, name its range with `--trusted-proxies`.',
  },
}

const INTRODUCTION = `
A warning is a finding about one object: its reason, the object, the field and a sentence that says what Ramjet did instead. A
broken object costs only what is broken in it; everything else serves.

Current warnings are under \`GET /admin/warnings\`, and each is logged once when it appears (target \`compile\`).
The severity \`Warning\` means that something asked for does not act. \`Normal\` is a statement: nothing is lost.
`

/** docs/warnings.md. */
export function warningsPage(): Page {
  const reasons = (Object.keys(TEXTS) as WarningReason[]).toSorted()
  const rows = reasons.map((reason) => {
    const { object, field } = TEXTS[reason]
    const { severity, channel } = WARNING_REASONS[reason]
    const [told, action] = channel === 'event' ? ['Event', actionOf(reason)] : ['log', '-']
    return [`[${reason}](#${reason.toLowerCase()})`, object, field, severity, told, action]
  })
  const table = markdownTable(['reason', 'object', 'field', 'severity', 'told as', 'action'], rows)
  return {
    file: 'docs/warnings.md',
    source: 'src/model/warning.ts and hack/docs/warnings.ts',
    title: 'Warnings',
    body: [INTRODUCTION.trim(), table, DECISIONS_INTRODUCTION, decisionTable(), ...reasons.map(section)].join('\n\n'),
  }
}

const DECISIONS: Readonly<Record<DecisionReason, { readonly object: string; readonly when: string }>> = {
  Accepted: { object: 'our IngressClass', when: 'the class was claimed, or another replica began to write' },
  ConfigApplied: { object: 'our IngressClasses', when: 'a new generation serves; at most one in 10 s' },
  ConfigRejected: { object: 'our IngressClasses', when: 'a worker refused a generation; the last good one serves' },
  ConfigPinned: { object: 'our IngressClasses', when: 'a generation was pinned' },
  ConfigResumed: { object: 'our IngressClasses', when: 'the pin was released' },
}

const DECISIONS_INTRODUCTION = `
What is told as \`Event\` is written by the replica that leads, as an Event on the object (\`kubectl describe\` shows it) and as
a log record. Several warnings of one reason about one object are one Event. \`action\` is the Event's verb.

These Events report a decision, and are no warnings:
`.trim()

function decisionTable(): string {
  const rows = (Object.keys(DECISIONS) as DecisionReason[]).map((reason) => {
    const { severity, action } = DECISION_REASONS[reason]
    const { object, when } = DECISIONS[reason]
    return [`\`${reason}\``, object, severity, action, when]
  })
  return markdownTable(['reason', 'object', 'severity', 'action', 'when'], rows)
}

function section(reason: WarningReason): string {
  const { object, field, found, effect, mend } = TEXTS[reason]
  return [
    `## ${reason}`,
    '',
    `On: ${object}. Field: ${field}.`,
    '',
    `- **Found**: ${found}`,
    `- **Instead**: ${effect}`,
    `- **To mend**: ${mend}`,
  ].join('\n')
}
