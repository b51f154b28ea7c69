// Two certificate tables -> which certificates came, went and took another's place, by name and handle (R30-20).
import {
  type CertificateTable,
  DEFAULT_SERVER_NAME,
  digestOfPolicy,
  NO_CERTIFICATES,
  type ServerName,
} from '../model/certificate-table.ts'
import type { GenerationDiff } from '../model/generation-diff.ts'
import { changedKeys } from './changed-keys.ts'
import { compareText } from './order.ts'

export type CertificateDiff = Pick<GenerationDiff, 'certsAdded' | 'certsRemoved' | 'certsRotated'>

const NAMED = 3

/** One line for each certificate and what it replaces, however many names that concerns. */
export function diffCertificates(
  before: CertificateTable = NO_CERTIFICATES,
  after: CertificateTable = NO_CERTIFICATES,
): CertificateDiff {
  const steps = new Map<string, Step>()
  for (const name of [...changedKeys(before.serverNames, after.serverNames)].toSorted(compareText)) {
    const [was, is] = [handlesOf(name, before), handlesOf(name, after)]
    for (const keyType of changedKeys(was, is)) note(steps, name, { from: was.get(keyType), to: is.get(keyType) })
  }
  const lines = [...steps.values()].map((step) => ({ ...step, line: lineOf(step) }))
  const linesOf = (belongs: (step: Step) => boolean): readonly string[] =>
    lines
      .filter(belongs)
      .map(({ line }) => line)
      .toSorted(compareText)
  return {
    certsAdded: linesOf(({ from }) => from === undefined),
    certsRemoved: linesOf(({ to }) => to === undefined),
    certsRotated: linesOf(({ from, to }) => from !== undefined && to !== undefined),
  }
}

/** Names that were there before and whose handshakes are held to something else now. */
export function diffTlsPolicies(
  before: CertificateTable = NO_CERTIFICATES,
  after: CertificateTable = NO_CERTIFICATES,
): readonly string[] {
  const names = [...changedKeys(before.serverNames, after.serverNames)].toSorted(compareText)
  return names.flatMap((name) => {
    const [was, is] = [before.serverNames.get(name), after.serverNames.get(name)]
    return was && is && termsOf(was) !== termsOf(is) ? [`${nameOf(name)} (TLS)`] : []
  })
}

function termsOf({ policy, passthrough }: ServerName): string {
  return JSON.stringify([digestOfPolicy(policy), passthrough ?? null])
}

/** A certificate in another's place, or in place of none. */
interface Step {
  readonly from: string | undefined
  readonly to: string | undefined
  /** In order, as they are found. */
  readonly names: string[]
}

function note(steps: Map<string, Step>, name: string, { from, to }: Pick<Step, 'from' | 'to'>): void {
  const key = `${from} ${to}`
  const step = steps.get(key) ?? { from, to, names: [] }
  steps.set(key, step)
  step.names.push(nameOf(name))
}

/** By type of key: a name has at most one certificate of each. */
function handlesOf(name: string, { serverNames, certificates }: CertificateTable): ReadonlyMap<string, string> {
  const handles = serverNames.get(name)?.certificates ?? []
  return new Map(handles.map((handle) => [certificates.get(handle)?.keyType ?? '', handle]))
}

function lineOf({ from, to, names }: Step): string {
  const shown = names.slice(0, NAMED).join(', ')
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : ''
  return `${shown}${more}: ${[from, to].filter((handle) => handle !== undefined).join(' -> ')}`
}

function nameOf(name: string): string {
  return name === DEFAULT_SERVER_NAME ? '(default)' : name
}
