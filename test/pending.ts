/** What rows of a table wait for: a feature that is not in this build, and how one sees that it is not. */
export interface PendingRows {
  /** The table's chapter. */
  readonly table: 71
  readonly feature: string
  /** A flag of the feature: as soon as it is built, its rows must stand. */
  readonly flag?: string
  /** The feature is being built, its flags first: its rows stand when it is done. */
  readonly underway?: true
  /** An annotation of the feature, without its prefix. */
  readonly annotation?: string
  readonly rows: readonly number[]
}

/**
 * The one list of rows whose feature is not built yet, of every table that a test holds complete (R71-17). A change may
 * only shorten it.
 */
export const PENDING: readonly PendingRows[] = []
