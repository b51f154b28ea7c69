// What is spoken to a Service port and how it is secured: what the keys of its Ingresses say, and the Secret that they
// name (R11-37, R11-124, R21-31, R21-32, R22-16).
import { AnnotationReader, closedEffect } from '../annotations/annotation-reader.ts'
import {
  BACKEND_PROTOCOL,
  PROXY_SSL_SECRET,
  PROXY_SSL_VERIFY,
  type ProxySslSettings,
  readUpstreamSettings,
} from '../annotations/upstream-security.ts'
import type { DataObject, Service } from '../api/core.ts'
import { err, type Result } from '../lib/result.ts'
import { withoutAbsent } from '../lib/without-absent.ts'
import type { ObjectRef } from '../model/object-ref.ts'
import type { Backend } from '../model/route-table.ts'
import { type BackendProtocol, type TlsVersion, type UpstreamTls, withDigest } from '../model/upstream-tls.ts'
import { splitBackendName } from './backends.ts'
import { type Finding, quote } from './finding.ts'
import type { OldestTexts } from './oldest-texts.ts'
import { readUpstreamMaterial, type UpstreamMaterial } from './upstream-material.ts'
import { wantedKey } from './wanted-key.ts'

export type UpstreamTraits = Pick<Backend, 'protocol' | 'tls'>

export interface UpstreamTerms {
  readonly traits: UpstreamTraits
  /** A guard cannot act: nobody is forwarded there (R21-32). */
  readonly isClosed: boolean
  /** The Secret that is named. */
  readonly secret: ObjectRef | undefined
  readonly findings: readonly Finding[]
}

/** What is said about a Service port, and where it is looked up. */
export interface UpstreamInput {
  /** `namespace/service:port`. */
  readonly name: string
  readonly said: Pick<OldestTexts, 'texts' | 'holders'>
  /** `undefined` where there is none that can be read. */
  readonly service: Service | undefined
  /** By `wantedKey`. */
  readonly wantedObjects: ReadonlyMap<string, DataObject>
}

const DEFAULT_DEPTH = 1
const NO_TRAITS: UpstreamTraits = {}
const H2C: UpstreamTraits = { protocol: 'h2c' }

/** What the port of a Service is spoken to where no annotation says it (R22-16): Kubernetes' own words for it. */
export function appTraits(name: string, service: Service | undefined): UpstreamTraits {
  const { port } = splitBackendName(name)
  const found = service?.spec?.ports?.find((one) => one.port === port)
  return found?.appProtocol === 'kubernetes.io/h2c' ? H2C : NO_TRAITS
}

export function settleUpstream(input: UpstreamInput): UpstreamTerms {
  const { name, said, service } = input
  const namespace = name.slice(0, name.indexOf('/'))
  const { protocol: asked, tls } = readUpstreamSettings(new AnnotationReader(said.texts), namespace)
  const protocol = asked === undefined ? appTraits(name, service).protocol : asked === 'http' ? undefined : asked
  const secret = tls.secret === undefined ? undefined : { kind: 'Secret', namespace, name: tls.secret }
  const material = secret && materialOf(secret, tls, input)
  if (material?.ok === false) {
    const findings = noteHolder(input, PROXY_SSL_SECRET, { reason: 'AccessRuleInvalid', ...material.error })
    return { traits: protocol ? { protocol } : {}, isClosed: true, secret, findings }
  }
  const traits = traitsOf(protocol, tls, { material: material?.value, serverName: ownName(name, service) })
  return { traits, isClosed: false, secret, findings: judge(input, traits) }
}

type Fault = Pick<Finding, 'found' | 'effect'>

function materialOf(
  secret: ObjectRef,
  { verify = false }: ProxySslSettings,
  { wantedObjects }: UpstreamInput,
): Result<UpstreamMaterial, Fault> {
  const material = readUpstreamMaterial(wantedObjects.get(wantedKey(secret)), { verify })
  if (material.ok) return material
  const found = `${PROXY_SSL_SECRET} names the Secret ${quote(`${secret.namespace}/${secret.name}`)}, which`
  return err({ found: `${found} ${material.error}`, effect: closedEffect('backend') })
}

function traitsOf(
  protocol: BackendProtocol | undefined,
  settings: ProxySslSettings,
  known: { readonly material: UpstreamMaterial | undefined; readonly serverName: string },
): UpstreamTraits {
  if (protocol === undefined) return NO_TRAITS
  return protocol === 'h2c' ? H2C : { protocol, tls: identityOf(settings, known) }
}

function identityOf(
  { verify = false, sendsServerName = false, name, maxDepth, versions, ciphers }: ProxySslSettings,
  { material, serverName }: { readonly material: UpstreamMaterial | undefined; readonly serverName: string },
): UpstreamTls {
  const named = verify || sendsServerName ? { serverName: name ?? serverName } : {}
  const optional = withoutAbsent({ ...material, ...rangeOf(versions), ciphers })
  return withDigest({ verify, sendsServerName, maxDepth: maxDepth ?? DEFAULT_DEPTH, ...named, ...optional })
}

function rangeOf(versions: readonly TlsVersion[] | undefined): Pick<UpstreamTls, 'minVersion' | 'maxVersion'> {
  if (versions === undefined) return {}
  return { minVersion: versions.includes('1.2') ? '1.2' : '1.3', maxVersion: versions.includes('1.3') ? '1.3' : '1.2' }
}

/** What a certificate of the backend says where nobody names it: as its clients in the cluster know it. */
function ownName(name: string, service: Service | undefined): string {
  const external = service?.spec?.type === 'ExternalName' ? service.spec.externalName : undefined
  if (external !== undefined) return external
  const { service: key } = splitBackendName(name)
  const [namespace = '', own = ''] = key.split('/')
  return `${own}.${namespace}.svc`
}

function judge(input: UpstreamInput, { tls }: UpstreamTraits): readonly Finding[] {
  const { name, said } = input
  if (tls?.verify === false) {
    const found = `the Service port ${name} is dialled by TLS and ${PROXY_SSL_VERIFY} is off`
    const effect = 'its certificate is not verified'
    return noteHolder(input, BACKEND_PROTOCOL, { reason: 'UpstreamNotVerified', found, effect }, PROXY_SSL_VERIFY)
  }
  if (tls !== undefined || !said.texts.has(PROXY_SSL_SECRET)) return []
  const found = `${PROXY_SSL_SECRET} secures nothing while ${name} is spoken to in plaintext`
  return noteHolder(input, PROXY_SSL_SECRET, { reason: 'InvalidAnnotation', found, effect: 'it does nothing' })
}

function noteHolder(
  { said }: UpstreamInput,
  key: string,
  finding: Omit<Finding, 'object' | 'field'>,
  field: string = key,
): readonly Finding[] {
  const holder = said.holders.get(key)
  return holder ? [{ ...finding, object: holder.object, field }] : []
}
