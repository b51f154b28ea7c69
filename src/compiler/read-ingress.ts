// One claimed Ingress -> its contribution and what is wrong with it by itself.
import type { AnnotationFinding } from '../annotations/annotation-finding.ts'
import { isForChallenges } from '../annotations/https-redirects.ts'
import { type ParsedAnnotations, parseAnnotations } from '../annotations/parse.ts'
import { type PathEffect, rewriteOf } from '../annotations/rewrite-rules.ts'
import { timeoutPolicy } from '../annotations/route-policy.ts'
import type { HttpIngressPath, Ingress, IngressBackend, IngressRule } from '../api/networking.ts'
import { parseRuleHost } from '../lib/host-name.ts'
import type { ObjectRef } from '../model/object-ref.ts'
import type { RoutePolicy } from '../model/policy.ts'
import { ANY_HOST } from '../model/route-table.ts'
import type { ClassTerms } from './class-terms.ts'
import type { BackendRef, Candidate, Contribution, DefaultBackend } from './contribution.ts'
import { type Finding, quote } from './finding.ts'
import { parsePathType, readPath } from './paths.ts'
import { readTls } from './read-tls.ts'

export interface IngressReading {
  /** `undefined` for a canary, which takes no traffic in this build. */
  readonly contribution: Contribution | undefined
  readonly findings: readonly Finding[]
}

/** Reads `ingress`, which is `object` in the caches and is served on `terms`. */
export function readIngress(object: ObjectRef, ingress: Ingress, terms: ClassTerms): IngressReading {
  const annotations = parseAnnotations(new Map(Object.entries(ingress.metadata.annotations ?? {})), object.namespace)
  const findings = annotations.findings.map((finding) => ofAnnotation(object, finding))
  if (annotations.isCanary) return { contribution: undefined, findings }
  const policy = timeoutPolicy(annotations.location.timeouts, terms.fields)
  const rules = new RuleReader(object, annotations, policy)
  for (const [index, rule] of (ingress.spec?.rules ?? []).entries()) rules.read(rule, index)
  const tls = readTls(object, ingress.spec?.tls ?? [])
  const contribution: Contribution = {
    key: `${object.namespace}/${object.name}`,
    object,
    source: 'ingress',
    createdAt: ingress.metadata.creationTimestamp,
    hosts: rules.hosts,
    defaultBackend: readDefaultBackend(object, ingress),
    tls: tls.entries,
    policy,
    https: annotations.location.https,
    hostTexts: annotations.hostTexts,
    backendTexts: annotations.backendTexts,
    closed: annotations.closed,
    terms,
  }
  return { contribution, findings: [...findings, ...rules.findings, ...tls.findings] }
}

/** Gathers hosts, candidates and findings over the rules of one Ingress. */
class RuleReader {
  readonly hosts = new Map<string, Candidate[]>()
  readonly findings: Finding[] = []
  readonly #object: ObjectRef
  readonly #annotations: ParsedAnnotations
  readonly #policy: RoutePolicy | undefined

  constructor(object: ObjectRef, annotations: ParsedAnnotations, policy: RoutePolicy | undefined) {
    this.#object = object
    this.#annotations = annotations
    this.#policy = policy
  }

  read(rule: IngressRule, index: number): void {
    const field = `spec.rules[${index}]`
    const host = this.#readHost(rule.host ?? '', `${field}.host`)
    if (host === undefined) return
    const candidates = this.hosts.get(host) ?? []
    this.hosts.set(host, candidates)
    for (const [pathIndex, path] of (rule.http?.paths ?? []).entries()) {
      const where = { host, rule: `${index}/${pathIndex}`, field: `${field}.http.paths[${pathIndex}]` }
      const candidate = this.#readPath(path, where)
      if (candidate) candidates.push(candidate)
    }
  }

  #readHost(text: string, field: string): string | undefined {
    if (text === '') return ANY_HOST
    const host = parseRuleHost(text)
    if (host.ok) return host.value
    const found = `host ${quote(text)} ${host.error}`
    this.#note({ reason: 'InvalidHost', field, found, effect: 'rules for it are not served' })
    return undefined
  }

  #readPath(written: HttpIngressPath, where: Where): Candidate | undefined {
    const text = written.path ?? ''
    const declared = parsePathType(written.pathType)
    if (declared === undefined) {
      const found = `${quote(text)} has the path type ${quote(written.pathType ?? '')}, which does not exist`
      const effect = 'it is read as ImplementationSpecific'
      this.#note({ reason: 'UnknownPathType', field: `${where.field}.pathType`, found, effect })
    }
    const field = `${where.field}.path`
    const { rewriting } = this.#annotations.location
    const path = readPath(text, declared ?? 'ImplementationSpecific', rewriting.useRegex)
    if (!path.ok) {
      const found = `path ${quote(text)} of ${hostName(where.host)} ${path.error.message}`
      this.#note({ reason: path.error.reason, field, found, effect: 'that path is not served' })
      return undefined
    }
    const { groups, ...read } = path.value
    const label = `path ${quote(text)} of ${hostName(where.host)}`
    const rewrite = rewriteOf(rewriting, { text, label, isPrefix: read.match.type === 'Prefix', groups })
    for (const finding of rewrite.findings) this.findings.push(ofAnnotation(this.#object, finding))
    return {
      ...read,
      backend: readBackendRef(this.#object.namespace, written.backend, `${where.field}.backend`),
      policy: rewrite.policy ? { ...this.#policy, ...rewrite.policy } : this.#policy,
      redirect: rewrite.redirect,
      https: this.#httpsOf(read, rewrite),
      origin: { ...this.#object, rule: where.rule },
      field,
    }
  }

  #httpsOf({ match, path }: Pick<Candidate, 'match' | 'path'>, rewrite: PathEffect): Candidate['https'] {
    const rewrites = rewrite.redirect !== undefined || rewrite.policy?.rewrite !== undefined
    const isExempt = isForChallenges(path, { isLiteral: match.type !== 'Regex', rewrites })
    return isExempt ? undefined : this.#annotations.location.https
  }

  #note(finding: Omit<Finding, 'object'>): void {
    this.findings.push({ ...finding, object: this.#object })
  }
}

interface Where {
  readonly host: string
  readonly rule: string
  readonly field: string
}

/** A host as messages name it. */
export function hostName(host: string): string {
  return host === ANY_HOST ? 'any host' : host
}

function readDefaultBackend({ namespace }: ObjectRef, { spec }: Ingress): DefaultBackend | undefined {
  if (!spec?.defaultBackend) return undefined
  const field = 'spec.defaultBackend'
  const backend = readBackendRef(namespace, spec.defaultBackend, field)
  return { backend, isGlobal: (spec.rules ?? []).length === 0, field }
}

// A Service of the Ingress's own namespace and no other (R10-39): the reference cannot even say one.
function readBackendRef(namespace: string, { service, resource }: IngressBackend, field: string): BackendRef {
  if (service) {
    const port = service.port?.name || service.port?.number
    return { kind: 'service', namespace, name: service.name, port, field: `${field}.service` }
  }
  const text = resource ? `the ${resource.kind} ${quote(resource.name)}` : 'no Service'
  return { kind: 'unsupported', text, field: resource ? `${field}.resource` : field }
}

function ofAnnotation(object: ObjectRef, { reason, key, found, effect }: AnnotationFinding): Finding {
  return { reason, object, field: key, found, effect }
}
