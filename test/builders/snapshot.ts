import type { DataObject, Service } from '../../src/api/core.ts'
import { type EndpointSlice, SERVICE_NAME_LABEL } from '../../src/api/discovery.ts'
import type { KubernetesObject } from '../../src/api/meta.ts'
import type { Ingress, IngressClass } from '../../src/api/networking.ts'
import type {
  ClassParametersReading,
  ClusterSnapshot,
  CompileSettings,
  ResolvedName,
  RouteFile,
  TlsSecret,
} from '../../src/compiler/snapshot.ts'
import { type ClassFields, NO_CLASS_FIELDS } from '../../src/model/class-fields.ts'
import type { Backend } from '../../src/model/route-table.ts'
import { ingressClass } from './ingress-class.ts'

/** The settings of a process without flags. */
export const SETTINGS: CompileSettings = {
  ingressClass: 'ramjet',
  ingressClassGiven: false,
  controllerName: 'ramjet.dev/ingress',
  watchIngressWithoutClass: false,
  defaultBackend: undefined,
  allowExternalName: false,
}

/** What a cluster holds. */
export interface ClusterContents {
  readonly ingresses?: readonly (Ingress | { build(): Ingress })[]
  /** Default: the class `ramjet`. */
  readonly classes?: readonly IngressClass[]
  readonly services?: readonly Service[]
  readonly slices?: readonly (EndpointSlice | { build(): EndpointSlice })[]
  /** By Service. */
  readonly resolvedNames?: Readonly<Record<string, ResolvedName>>
  readonly file?: RouteFile
  readonly servedBackends?: ReadonlyMap<string, Backend>
  readonly defaults?: ClassFields
  /** By `namespace/name`. */
  readonly classParameters?: Readonly<Record<string, ClassParametersReading>>
  /** Those that something names are in the snapshot, as they are in a cluster. */
  readonly secrets?: readonly DataObject[]
  /** By `namespace/name`. */
  readonly tlsSecrets?: Readonly<Record<string, TlsSecret>>
}

/** A snapshot of a cluster that holds these objects. */
export function snapshot(contents: ClusterContents = {}): ClusterSnapshot {
  return {
    ingresses: byKey((contents.ingresses ?? []).map((entry) => ('build' in entry ? entry.build() : entry))),
    ingressClasses: byKey(contents.classes ?? [ingressClass('ramjet')]),
    services: byKey(contents.services ?? []),
    endpointSlices: Map.groupBy(
      (contents.slices ?? []).map((entry) => ('build' in entry ? entry.build() : entry)),
      ({ metadata }) => `${metadata.namespace}/${metadata.labels?.[SERVICE_NAME_LABEL]}`,
    ),
    resolvedNames: new Map(Object.entries(contents.resolvedNames ?? {})),
    file: contents.file,
    servedBackends: contents.servedBackends ?? new Map(),
    defaults: contents.defaults ?? NO_CLASS_FIELDS,
    classParameters: new Map(Object.entries(contents.classParameters ?? {})),
    wantedObjects: new Map([...byKey(contents.secrets ?? [])].map(([key, secret]) => [`Secret ${key}`, secret])),
    tlsSecrets: new Map(Object.entries(contents.tlsSecrets ?? {})),
  }
}

function byKey<T extends KubernetesObject>(objects: readonly T[]): ReadonlyMap<string, T> {
  return new Map(
    objects.map((object) => {
      const { namespace, name } = object.metadata
      return [namespace === undefined ? name : `${namespace}/${name}`, object]
    }),
  )
}
