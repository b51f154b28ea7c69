// Who keeps a path that several ask for, and how many patterns a host may have (R10-23, R10-26, R10-28).
import { MAX_HOST_INSTRUCTIONS, MAX_HOST_REGEXES } from '../lib/regex.ts'
import type { PathMatch } from '../model/route-table.ts'
import type { Candidate, Contribution } from './contribution.ts'
import { type Finding, quote } from './finding.ts'
import { compareText } from './order.ts'
import { hostName } from './read-ingress.ts'

/** A candidate with the object that asks for it. */
export interface Claimed {
  readonly candidate: Candidate
  readonly by: Contribution
}

/** The candidates of a host that become its routes, in order of precedence, and what the others are told. */
export interface Settled {
  readonly kept: readonly Claimed[]
  readonly findings: readonly Finding[]
}

/** Settles a host: `contributions` are in order of age. */
export function settleHost(host: string, contributions: readonly Contribution[]): Settled {
  const findings: Finding[] = []
  const holders = new Map<string, Claimed>()
  for (const by of contributions) {
    for (const candidate of by.hosts.get(host) ?? []) {
      const key = matchKey(candidate.match)
      const holder = holders.get(key)
      if (holder) findings.push(conflict(host, { candidate, by }, holder))
      else holders.set(key, { candidate, by })
    }
  }
  const kept = boundPatterns(host, [...holders.values()], findings)
  return { kept: kept.toSorted((a, b) => comparePrecedence(a.candidate.match, b.candidate.match)), findings }
}

/** Paths are alike as they are read: `/foo` and `/foo/` are one Prefix, a literal is alike a Prefix. */
function matchKey(match: PathMatch): string {
  return `${match.type} ${match.type === 'Regex' ? match.pattern : match.value}`
}

function conflict(host: string, lost: Claimed, holder: Claimed): Finding {
  const { object } = holder.by
  const name = holder.by === lost.by ? 'an earlier rule of the same object' : nameOf(object)
  return {
    reason: 'RouteConflict',
    object: lost.by.object,
    field: lost.candidate.field,
    found: `${pathName(host, lost.candidate)} is held by ${name}`,
    effect: 'the holder serves it',
  }
}

/** An object as messages name it. */
export function nameOf({ kind, namespace, name }: Contribution['object']): string {
  return namespace === '' ? `${kind} ${name}` : `${kind} ${namespace}/${name}`
}

/** A path and its host as messages name them. */
export function pathName(host: string, { path }: Candidate): string {
  return `${quote(path)} of ${hostName(host)}`
}

/** Older objects first: what does not fit any more is lost, and a smaller pattern after it may still fit. */
function boundPatterns(host: string, claimed: readonly Claimed[], findings: Finding[]): readonly Claimed[] {
  let patterns = 0
  let instructions = 0
  return claimed.filter(({ candidate, by }) => {
    if (candidate.match.type !== 'Regex') return true
    const fits = patterns < MAX_HOST_REGEXES && instructions + candidate.instructions <= MAX_HOST_INSTRUCTIONS
    if (fits) {
      patterns += 1
      instructions += candidate.instructions
    } else findings.push(tooMany(host, candidate, by))
    return fits
  })
}

function tooMany(host: string, candidate: Candidate, by: Contribution): Finding {
  const bounds = `${MAX_HOST_REGEXES} regular expressions or ${MAX_HOST_INSTRUCTIONS} instructions`
  return {
    reason: 'RegexTooMany',
    object: by.object,
    field: candidate.field,
    found: `${pathName(host, candidate)} is beyond the ${bounds} of a host`,
    effect: 'that path is not served',
  }
}

const RANK = { Exact: 0, Prefix: 1, Regex: 2 } as const

/** R10-26. Patterns stay in controller order: the sort is stable. */
function comparePrecedence(a: PathMatch, b: PathMatch): number {
  if (a.type === 'Regex' || b.type === 'Regex') return RANK[a.type] - RANK[b.type]
  const byLength = a.type === 'Prefix' && b.type === 'Prefix' ? b.value.length - a.value.length : 0
  return RANK[a.type] - RANK[b.type] || byLength || compareText(a.value, b.value)
}
