// One digest over many elements that costs a change only its bucket and the root (R00-8).
import { digestOf } from './digest.ts'
import { hash32 } from './hash.ts'
import { runSteps, type Steps } from './steps.ts'

const BUCKETS = 256
/** A step is less than a millisecond among 10,000 routes. */
const ELEMENTS_A_STEP = 1024
const BUCKETS_A_STEP = 4

type Entry = readonly [key: string, digest: string]

interface Bucket {
  readonly digest: string
  /** Sorted by key. */
  readonly entries: readonly Entry[]
}

/** Immutable. `root` depends on the (key, digest) pairs alone and never on the order in which they came. */
export interface BucketedDigest {
  readonly root: string
  readonly buckets: readonly Bucket[]
}

const EMPTY_BUCKET: Bucket = { digest: '', entries: [] }

/** The digest of no element. */
export function emptyDigest(): BucketedDigest {
  return withRoot(Array.from({ length: BUCKETS }, () => EMPTY_BUCKET))
}

/**
 * `base` with the elements of `set` (key to digest) added or replaced and those of `removed` taken out. Only buckets
 * that an element really changes are sorted and hashed again; where none does, `base` itself comes back.
 */
export function changeDigest(
  base: BucketedDigest,
  set: ReadonlyMap<string, string>,
  removed: Iterable<string> = [],
): BucketedDigest {
  return runSteps(changeDigestInSteps(base, set, removed))
}

/** `changeDigest` in steps. */
export function* changeDigestInSteps(
  base: BucketedDigest,
  set: ReadonlyMap<string, string>,
  removed: Iterable<string>,
): Steps<BucketedDigest> {
  const changes = new Map<number, Map<string, string | undefined>>()
  for (const key of removed) noteChange(changes, key, undefined)
  let noted = 0
  for (const [key, digest] of set) {
    noteChange(changes, key, digest)
    noted += 1
    if (noted % ELEMENTS_A_STEP === 0) yield
  }
  let buckets: Bucket[] | undefined
  let looked = 0
  for (const [index, entries] of changes) {
    looked += 1
    if (looked % BUCKETS_A_STEP === 0) yield
    const before = base.buckets[index] ?? EMPTY_BUCKET
    const after = changeBucket(before, entries)
    if (after.digest === before.digest) continue
    buckets ??= [...base.buckets]
    buckets[index] = after
  }
  return buckets ? withRoot(buckets) : base
}

function noteChange(
  changes: Map<number, Map<string, string | undefined>>,
  key: string,
  digest: string | undefined,
): void {
  const index = hash32(key) % BUCKETS
  const bucket = changes.get(index)
  if (bucket) bucket.set(key, digest)
  else changes.set(index, new Map([[key, digest]]))
}

function changeBucket(bucket: Bucket, changes: ReadonlyMap<string, string | undefined>): Bucket {
  const merged = new Map<string, string | undefined>(bucket.entries)
  for (const [key, digest] of changes) merged.set(key, digest)
  const entries: Entry[] = []
  for (const [key, digest] of merged) if (digest !== undefined) entries.push([key, digest])
  if (entries.length === 0) return EMPTY_BUCKET
  entries.sort(([a], [b]) => (a < b ? -1 : 1))
  return { entries, digest: digestOf(JSON.stringify(entries)) }
}

function withRoot(buckets: readonly Bucket[]): BucketedDigest {
  return { buckets, root: digestOf(buckets.map(({ digest }) => digest).join('\n')) }
}
