import type { ObjectRef } from './object-ref.ts'

/** `Warning`: something asked for does not act. `Normal`: a statement, nothing is lost (R13-4). */
export type Severity = 'Warning' | 'Normal'

/** `event`: an Event on the object and a log record; `log`: the log and `/admin/warnings` alone (R13-5). */
export type Channel = 'event' | 'log'

/** Every reason that this build can raise (R13-2). */
export type WarningReason =
  | 'UnknownIngressClass'
  | 'InvalidParameters'
  | 'InvalidHost'
  | 'UnknownPathType'
  | 'InvalidPath'
  | 'InvalidRegex'
  | 'RegexTooLarge'
  | 'RegexTooMany'
  | 'RouteConflict'
  | 'UnresolvableService'
  | 'UnsupportedBackend'
  | 'UnsupportedValue'
  | 'ExternalNameDisabled'
  | 'UpstreamAddressDenied'
  | 'EndpointsMissing'
  | 'EndpointsSkipped'
  | 'DefaultBackendConflict'
  | 'DefaultBackendShadowed'
  | 'InvalidAnnotation'
  | 'AccessRuleInvalid'
  | 'UnsupportedAnnotation'
  | 'UnknownAnnotation'
  | 'AnnotationConflict'
  | 'AnnotationShadowed'
  | 'UnsupportedBackendProtocol'
  | 'BackendProtocolConflict'
  | 'UpstreamNotVerified'
  | 'InvalidTLSEntry'
  | 'TLSHostConflict'
  | 'InvalidCertificate'
  | 'LastGoodCertificate'
  | 'OpaqueTLSSecret'
  | 'CertificateExpiring'
  | 'CertificateExpired'
  | 'UndecodableObject'
  | 'InvalidObject'
  | 'ObservedGenerationContested'
  | 'TooManyReferences'
  | 'OperatorConfigInvalid'
  | 'KindForbidden'
  | 'KindRemoved'
  | 'ProxyProtocolFromAnyone'
  | 'UntrustedForwardedFor'

export interface ReasonFacts {
  readonly severity: Severity
  readonly channel: Channel
}

const EVENT: ReasonFacts = { severity: 'Warning', channel: 'event' }
const STATEMENT: ReasonFacts = { severity: 'Normal', channel: 'log' }
const LOG: ReasonFacts = { severity: 'Warning', channel: 'log' }

/** How severe each reason is and where it is told. */
export const WARNING_REASONS: Readonly<Record<WarningReason, ReasonFacts>> = {
  UnknownIngressClass: LOG,
  InvalidParameters: EVENT,
  InvalidHost: EVENT,
  UnknownPathType: EVENT,
  InvalidPath: EVENT,
  InvalidRegex: EVENT,
  RegexTooLarge: EVENT,
  RegexTooMany: EVENT,
  RouteConflict: EVENT,
  UnresolvableService: EVENT,
  UnsupportedBackend: EVENT,
  UnsupportedValue: EVENT,
  ExternalNameDisabled: EVENT,
  UpstreamAddressDenied: EVENT,
  EndpointsMissing: STATEMENT,
  EndpointsSkipped: STATEMENT,
  DefaultBackendConflict: EVENT,
  DefaultBackendShadowed: EVENT,
  InvalidAnnotation: EVENT,
  AccessRuleInvalid: EVENT,
  UnsupportedAnnotation: EVENT,
  UnknownAnnotation: EVENT,
  AnnotationConflict: EVENT,
  AnnotationShadowed: EVENT,
  UnsupportedBackendProtocol: EVENT,
  BackendProtocolConflict: EVENT,
  UpstreamNotVerified: EVENT,
  InvalidTLSEntry: EVENT,
  TLSHostConflict: EVENT,
  InvalidCertificate: EVENT,
  LastGoodCertificate: EVENT,
  CertificateExpiring: EVENT,
  CertificateExpired: EVENT,
  OpaqueTLSSecret: { severity: 'Normal', channel: 'event' },
  UndecodableObject: EVENT,
  InvalidObject: EVENT,
  ObservedGenerationContested: EVENT,
  TooManyReferences: EVENT,
  OperatorConfigInvalid: EVENT,
  KindForbidden: LOG,
  KindRemoved: LOG,
  ProxyProtocolFromAnyone: LOG,
  UntrustedForwardedFor: LOG,
}

/** A finding about one object: what was found and what Ramjet did instead, in one sentence without secrets (R13-1). */
export interface Warning {
  readonly reason: WarningReason
  readonly object: ObjectRef
  /** Path of the field, such as `spec.rules[0].http.paths[1].path`, or an annotation's key. */
  readonly field: string
  readonly message: string
  /** Where it is told, if not where its reason usually is: about an object that may not be ours, the log alone (R13-5). */
  readonly channel?: Channel
}
