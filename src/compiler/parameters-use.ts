// What became of ClassParameters in a compile: for their status (R50-15).
import { keyOf } from '../model/object-ref.ts'
import type { Route } from '../model/route-table.ts'
import type { CompileResult } from './result.ts'
import { usableOf } from './server-name.ts'
import type { ClassParametersReading } from './snapshot.ts'

export interface ParametersUse {
  /** As the object was judged. */
  readonly reading: ClassParametersReading
  /** Names of our classes that are served by it, sorted. */
  readonly classes: readonly string[]
  /** Routes of Ingresses of those classes. */
  readonly routes: number
  /** Hosts of those routes. */
  readonly hosts: number
  /** Certificates of Secrets that those Ingresses name, those of use. */
  readonly certificates: number
  /** Warnings about the object, those classes and their Ingresses. */
  readonly warnings: number
}

interface Count {
  readonly classes: string[]
  routes: number
  hosts: number
  readonly certificates: Set<string>
  warnings: number
}

/** By `namespace/name`, every ClassParameters object that was compiled with. Costs one look at each route. */
export function parametersUse(result: CompileResult): ReadonlyMap<string, ParametersUse> {
  const { classes, contributions } = result.memo.selection
  const counts = new Map<string, Count>()
  for (const key of classes.sources.classParameters.keys()) {
    counts.set(key, emptyCount())
  }
  const ofClass = new Map<string, Count>()
  for (const [name, verdict] of classes.verdicts) {
    const parameters = verdict.kind === 'served' ? verdict.terms.parameters : undefined
    const count = parameters && counts.get(keyOf(parameters))
    if (!count) continue
    count.classes.push(name)
    ofClass.set(name, count)
  }
  const ofIngress = (key: string): Count | undefined => ofClass.get(contributions.get(key)?.terms.ingressClass ?? '')
  for (const { routes } of result.tables.routes.hosts.values()) countHost(routes, ofIngress)
  countCertificates(result, ofIngress)
  for (const { object } of result.warnings) {
    const count = countOf(object.kind, keyOf(object), { counts, ofClass, ofIngress })
    if (count) count.warnings += 1
  }
  return new Map(
    [...classes.sources.classParameters].map(([key, reading]) => {
      const count = counts.get(key) ?? emptyCount()
      return [key, { ...count, reading, classes: count.classes.toSorted(), certificates: count.certificates.size }]
    }),
  )
}

function emptyCount(): Count {
  return { classes: [], routes: 0, hosts: 0, certificates: new Set(), warnings: 0 }
}

function countCertificates({ memo }: Pick<CompileResult, 'memo'>, ofIngress: (key: string) => Count | undefined): void {
  const { secrets, sources, bySecret } = memo.certificates
  for (const key of secrets) {
    const usable = usableOf(sources.secrets.get(key))
    if (usable) for (const user of bySecret.get(key) ?? []) ofIngress(user.key)?.certificates.add(usable.handle)
  }
}

function countHost(routes: readonly Route[], ofIngress: (key: string) => Count | undefined): void {
  const touched = new Set<Count>()
  for (const { origin } of routes) {
    const count = origin.kind === 'Ingress' ? ofIngress(keyOf(origin)) : undefined
    if (!count) continue
    count.routes += 1
    touched.add(count)
  }
  for (const count of touched) count.hosts += 1
}

interface Counts {
  readonly counts: ReadonlyMap<string, Count>
  readonly ofClass: ReadonlyMap<string, Count>
  readonly ofIngress: (key: string) => Count | undefined
}

function countOf(kind: string, key: string, { counts, ofClass, ofIngress }: Counts): Count | undefined {
  if (kind === 'ClassParameters') return counts.get(key)
  if (kind === 'IngressClass') return ofClass.get(key)
  return kind === 'Ingress' ? ofIngress(key) : undefined
}
