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

/** How much differs: the length of each list. */
export interface DiffCounts extends Readonly<Record<DiffList, number>> {
  readonly defaultBackendChanged: boolean
}

export function countsOf(diff: GenerationDiff): DiffCounts {
  return countsBy((list) => diff[list].length, diff.defaultBackendChanged)
}

/** Of two changes that are told as one. */
export function sumOfCounts(one: DiffCounts, other: DiffCounts): DiffCounts {
  const defaultBackendChanged = one.defaultBackendChanged || other.defaultBackendChanged
  return countsBy((list) => one[list] + other[list], defaultBackendChanged)
}

/** One line that counts what differs: `3 routes added, 1 cert rotated (gen 41->42)` (R30-21). */
export function summaryOf(counts: DiffCounts, from: number, to: number): string {
  const parts = DIFF_LISTS.flatMap((list) => {
    const [one, many, what] = WORDS[list]
    return counts[list] === 0 ? [] : [`${counts[list]} ${counts[list] === 1 ? one : many} ${what}`]
  })
  if (counts.defaultBackendChanged) parts.push('default backend changed')
  return `${parts.length === 0 ? 'no change' : parts.join(', ')} (gen ${from}->${to})`
}

function countsBy(count: (list: DiffList) => number, defaultBackendChanged: boolean): DiffCounts {
  return {
    routesAdded: count('routesAdded'),
    routesRemoved: count('routesRemoved'),
    backendsChanged: count('backendsChanged'),
    hostsAdded: count('hostsAdded'),
    hostsRemoved: count('hostsRemoved'),
    certsAdded: count('certsAdded'),
    certsRemoved: count('certsRemoved'),
    certsRotated: count('certsRotated'),
    mirrorsAdded: count('mirrorsAdded'),
    mirrorsRemoved: count('mirrorsRemoved'),
    policiesChanged: count('policiesChanged'),
    defaultBackendChanged,
  }
}
