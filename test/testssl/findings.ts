// What testssl.sh found, and which of it counts (R21-38).

/** One entry of its JSON. */
export interface TestsslFinding {
  readonly id: string
  readonly severity: string
  readonly finding: string
}

/** Those that are no findings, or none above LOW. */
const HARMLESS: ReadonlySet<string> = new Set(['OK', 'INFO', 'LOW', 'DEBUG'])

/** By its id, why an entry says nothing about the listener. */
const EXPLAINED: ReadonlyMap<string, string> = new Map([
  ['cert_chain_of_trust', 'nobody trusts the authority of a test'],
  ['engine_problem', 'the openssl of this machine has no GOST engine'],
])

/** The entries that fail the run: too severe, or a check that could not be made. */
export function countedFindings(entries: readonly TestsslFinding[]): readonly TestsslFinding[] {
  return entries.filter(({ id, severity }) => !HARMLESS.has(severity) && !EXPLAINED.has(id))
}

/** Reads its JSON file; throws where it is none, or has so few entries that little can have been looked at. */
export function readFindings(text: string): readonly TestsslFinding[] {
  const entries: unknown = JSON.parse(text)
  if (!Array.isArray(entries) || !entries.every(isFinding)) throw new TypeError('testssl.sh wrote no list of findings')
  if (entries.length < FEWEST) throw new TypeError(`testssl.sh looked at ${entries.length} things only`)
  return entries
}

const FEWEST = 100

function isFinding(entry: unknown): entry is TestsslFinding {
  return ['id', 'severity', 'finding'].every((name) => typeof Reflect.get(Object(entry), name) === 'string')
}
