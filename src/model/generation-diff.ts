// What a generation changed, in words for people (R30-20). Endpoints from the cluster are in no diff (R00-22).

/** The lists of a diff, each of lines for people in an order that does not depend on the order of objects. */
export const DIFF_LISTS = [
  'routesAdded',
  'routesRemoved',
  'backendsChanged',
  'hostsAdded',
  'hostsRemoved',
  'certsAdded',
  'certsRemoved',
  'certsRotated',
  'mirrorsAdded',
  'mirrorsRemoved',
  'policiesChanged',
] as const
export type DiffList = (typeof DIFF_LISTS)[number]

/** What differs between two compiled generations. */
export interface GenerationDiff extends Readonly<Record<DiffList, readonly string[]>> {
  readonly defaultBackendChanged: boolean
}

/** Nothing differs. */
export const NO_DIFF: GenerationDiff = {
  routesAdded: [],
  routesRemoved: [],
  backendsChanged: [],
  hostsAdded: [],
  hostsRemoved: [],
  certsAdded: [],
  certsRemoved: [],
  certsRotated: [],
  mirrorsAdded: [],
  mirrorsRemoved: [],
  policiesChanged: [],
  defaultBackendChanged: false,
}

const WORDS: Readonly<Record<DiffList, readonly [one: string, many: string, what: string]>> = {
  routesAdded: ['route', 'routes', 'added'],
  routesRemoved: ['route', 'routes', 'removed'],
  backendsChanged: ['backend', 'backends', 'changed'],
  hostsAdded: ['host', 'hosts', 'added'],
  hostsRemoved: ['host', 'hosts', 'removed'],
  certsAdded: ['cert', 'certs', 'added'],
  certsRemoved: ['cert', 'certs', 'removed'],
  certsRotated: ['cert', 'certs', 'rotated'],
  mirrorsAdded: ['mirror', 'mirrors', 'added'],
  mirrorsRemoved: ['mirror', 'mirrors', 'removed'],
  policiesChanged: ['policy', 'policies', 'changed'],
}

/** One line that counts what differs: `3 routes added, 1 cert rotated (gen 41->42)` (R30-21). */
export function summaryOf(diff: GenerationDiff, from: number, to: number): string {
  const parts = DIFF_LISTS.flatMap((list) => {
    const count = diff[list].length
    const [one, many, what] = WORDS[list]
    return count === 0 ? [] : [`${count} ${count === 1 ? one : many} ${what}`]
  })
  if (diff.defaultBackendChanged) parts.push('default backend changed')
  return `${parts.length === 0 ? 'no change' : parts.join(', ')} (gen ${from}->${to})`
}
