/** What a generated validator says is wrong with a value. */
export interface SchemaError {
  /** JSON pointer: `/spec/retry/on/0`. */
  readonly instancePath: string
  /** `must be integer`. */
  readonly message?: string
}

/** A generated validator. Where it returns false, `errors` has what it found first. */
export interface SchemaCheck {
  (value: unknown): boolean
  readonly errors?: readonly SchemaError[] | null
}
