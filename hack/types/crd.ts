// The CRDs of this repository, as far as generators read them.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { load } from 'js-yaml'

const ROOT = join(import.meta.dirname, '..', '..')
const FOLDER = 'crds'

/** A structural schema; members that generators do not read are left out. */
export interface Schema {
  readonly description?: string
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'boolean'
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema
  readonly items?: Schema
  readonly enum?: readonly string[]
  readonly default?: unknown
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly 'x-kubernetes-int-or-string'?: boolean
  readonly 'x-kubernetes-validations'?: readonly CelRule[]
}

export interface CelRule {
  readonly rule: string
  readonly message: string
}

export interface Crd {
  /** `crds/ramjet.dev_classparameters.yaml`. */
  readonly file: string
  /** `ClassParameters`. */
  readonly kind: string
  readonly group: string
  readonly version: string
  /** Of the whole object. */
  readonly schema: Schema
}

interface CrdFile {
  readonly spec: {
    readonly group: string
    readonly names: { readonly kind: string }
    readonly versions: readonly { readonly name: string; readonly schema: { readonly openAPIV3Schema: Schema } }[]
  }
}

/** Every version of every kind of ours. */
export function readCrds(): readonly Crd[] {
  const files = readdirSync(join(ROOT, FOLDER)).filter(
    (name) => name.endsWith('.yaml') && name !== 'kustomization.yaml',
  )
  return files.toSorted().flatMap((name) => {
    const file = `${FOLDER}/${name}`
    const { spec } = load(readFileSync(join(ROOT, file), 'utf8')) as CrdFile
    return spec.versions.map((version) => ({
      file,
      kind: spec.names.kind,
      group: spec.group,
      version: version.name,
      schema: version.schema.openAPIV3Schema,
    }))
  })
}

/** `class-parameters` for `ClassParameters`. */
export function fileNameOf(kind: string): string {
  return kind.replaceAll(/\B[A-Z]/g, (letter) => `-${letter}`).toLowerCase()
}
