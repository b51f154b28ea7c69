/** What one compile hands to the next. Opaque to everybody else. */
export interface Memo {
  /** The parts by stage; each stage owns the shape of its own. */
  readonly readings: WeakMap<object, unknown>
}

/** The memo of a first compile, which has nothing to use again. */
export function emptyMemo(): Memo {
  return { readings: new WeakMap() }
}
