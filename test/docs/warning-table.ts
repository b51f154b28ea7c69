// What the specification's tables of warnings say, beside src/model and hack/docs: a slip in one of the two shows.

export interface WarningRow {
  readonly reason: string
  /** Kinds of the objects that may be told; `process`: none of the cluster's. */
  readonly kinds: readonly string[]
  readonly severity: string
  /** `Event`, `log`, or both where it hangs on the object. */
  readonly told: string
  /** The verb of its Event; `-` where there is none. */
  readonly action: string
}

const TEXT = `
UnknownIngressClass | Ingress | Warning | log | -
InvalidParameters | IngressClass GatewayClass Ingress | Warning | Event | Claim
InvalidHost | Ingress | Warning | Event | Compile
UnknownPathType | Ingress | Warning | Event | Compile
InvalidPath | Ingress | Warning | Event | Compile
InvalidRegex | Ingress | Warning | Event | Compile
RegexTooLarge | Ingress | Warning | Event | Compile
RegexTooMany | Ingress | Warning | Event | Compile
RouteConflict | Ingress HTTPRoute GRPCRoute | Warning | Event | Compile
UnresolvableService | Ingress | Warning | Event | Compile
UnsupportedBackend | Ingress | Warning | Event | Compile
UnsupportedValue | Ingress | Warning | Event | Compile
ExternalNameDisabled | Ingress | Warning | Event | Compile
UpstreamAddressDenied | Ingress HTTPRoute GRPCRoute | Warning | Event, log | Compile
EndpointsMissing | Ingress | Normal | log | -
EndpointsSkipped | Service | Normal | log | -
DefaultBackendConflict | Ingress | Warning | Event | Compile
DefaultBackendShadowed | Ingress | Warning | Event | Compile
InvalidAnnotation | Ingress | Warning | Event | Compile
AccessRuleInvalid | Ingress | Warning | Event | Compile
UnsupportedAnnotation | Ingress | Warning | Event | Compile
UnknownAnnotation | Ingress | Warning | Event | Compile
AnnotationConflict | Ingress | Warning | Event | Compile
AnnotationShadowed | Ingress | Warning | Event | Compile
UnsupportedBackendProtocol | Ingress | Warning | Event | Compile
BackendProtocolConflict | Ingress | Warning | Event | Compile
UpstreamNotVerified | Ingress | Warning | Event | Compile
InvalidTLSEntry | Ingress | Warning | Event | Compile
TLSHostConflict | Ingress | Warning | Event | Compile
InvalidCertificate | Ingress | Warning | Event | Compile
LastGoodCertificate | Ingress Gateway | Warning | Event | Compile
OpaqueTLSSecret | Ingress | Normal | Event | Compile
CertificateExpiring | Ingress Gateway | Warning | Event | Check
CertificateExpired | Ingress Gateway | Warning | Event | Check
UndecodableObject | object | Warning | Event, log | Read
InvalidObject | CachePolicy ClassParameters | Warning | Event | Read
ObservedGenerationContested | Ingress | Warning | Event | Write
TooManyReferences | IngressClass GatewayClass | Warning | Event | Watch
OperatorConfigInvalid | IngressClass GatewayClass process | Warning | Event | Read
KindForbidden | process | Warning | log | -
KindRemoved | process | Warning | log | -
UntrustedForwardedFor | process | Warning | log | -
ProxyProtocolFromAnyone | process | Warning | log | -
`

/** A row for each reason that this build can raise. */
export const WARNING_TABLE: readonly WarningRow[] = TEXT.trim().split('\n').map(rowOf)

/** Reasons of the tables whose feature is not in this build. */
export const LATER_REASONS: readonly string[] = [
  'DialectConflict',
  'CanaryInert',
  'CanaryOrphan',
  'CanaryConflict',
  'PromotionContested',
  'MirrorRejected',
  'FieldIgnored',
  'Invalid',
  'Conflicted',
  'TargetNotFound',
  'ProviderWithheld',
  'PortUnavailable',
]

function rowOf(line: string): WarningRow {
  const [reason = '', kinds = '', severity = '', told = '', action = ''] = line.split(' | ')
  return { reason, kinds: kinds.split(' '), severity, told, action }
}
