// Names of earlier programs, refused with the one to use, so that nobody has to search (R33-15).

/** The new name by the old flag; `N` stands for the value that was given. */
export const OLD_FLAGS: ReadonlyMap<string, string> = new Map([
  ['--worker-threads', '--workers N'],
  ['--no-h2-dispatch', '--no-h2'],
  ['--max-buf-size', '--max-header-size N'],
])

/** The new words by an old value of `--engine`. */
export const OLD_ENGINES: ReadonlyMap<string, string> = new Map([
  ['hyper', '--engine standard'],
  ['uring', '--engine wire --transport uring'],
  ['uring-strict', '--engine wire --transport uring --transport-strict'],
])

/** What to say about variables of earlier programs; another program may own them, so nothing is refused. */
export const OLD_VARIABLES: ReadonlyMap<string, string> = new Map([
  ['RUST_LOG', 'not read; use --log-level or RAMJET_LOG_LEVEL'],
])
