/** What this replica writes to the cluster. */
export interface WritingFigures {
  readonly isLeading: boolean
  /** Writes that the API server refused, ever, by kind. */
  readonly writeFailures: ReadonlyMap<string, number>
  readonly eventsDropped: number
}

/** Of a process that writes nothing. */
export const NO_WRITING: WritingFigures = {
  isLeading: false,
  writeFailures: new Map([['Ingress', 0]]),
  eventsDropped: 0,
}
