// Other names of hosts (R11-44, R11-49): each is a virtual host with the routes of the host that it is another name of.
import { SERVER_ALIAS } from '../annotations/rewriting.ts'
import { digestOfVirtualHost } from '../model/elements.ts'
import { nameOf } from './conflicts.ts'
import type { Contribution } from './contribution.ts'
import type { Finding } from './finding.ts'
import { quote } from './finding.ts'
import type { Groups } from './groups.ts'
import type { HostOutcome } from './hosts.ts'

/** Looks up what a host was compiled to. */
export type OutcomeOf = (host: string) => HostOutcome | undefined

export interface CompiledAlias {
  /** `undefined`: the name is nobody's, or a host of its own. */
  readonly outcome: HostOutcome | undefined
  readonly findings: readonly Finding[]
}

/** A claim on the name: by the oldest Ingress that gives this host other names. */
interface AliasClaim {
  readonly by: Contribution
  readonly host: string
}

/** Settles who has the name `alias`. */
export function compileAlias(alias: string, groups: Groups, outcomeOf: OutcomeOf): CompiledAlias {
  const claims = claimsOn(groups.byAlias.get(alias) ?? [], outcomeOf)
  const owner = groups.byHost.get(alias)?.[0]
  if (owner) return { outcome: undefined, findings: claims.map(({ by }) => taken(alias, by, owner)) }
  const [holder, ...others] = claims
  const target = holder && outcomeOf(holder.host)
  if (!holder || !target) return { outcome: undefined, findings: [] }
  return { outcome: renamed(target, alias), findings: others.map(({ by }) => taken(alias, by, holder.by)) }
}

/** The names that hosts are asked to have by those that hold their key, before and after a change. */
export function aliasesOf(outcome: HostOutcome | undefined): readonly string[] {
  return outcome?.aliases?.names ?? []
}

// Of an Ingress with several hosts the first one gets the other name: there is one set of routes behind it.
function claimsOn(contributions: readonly Contribution[], outcomeOf: OutcomeOf): readonly AliasClaim[] {
  return contributions.flatMap((by) => {
    const [host] = by.hosts.keys()
    return host !== undefined && outcomeOf(host)?.aliases?.by === by ? [{ by, host }] : []
  })
}

function renamed({ virtualHost, tls }: HostOutcome, alias: string): HostOutcome {
  const { routes, fallback } = virtualHost
  const content = { host: alias, routes, fallback }
  return {
    virtualHost: { ...content, digest: digestOfVirtualHost(content) },
    // What they depend on is looked after by the host that they are another name of.
    services: new Set(),
    closable: new Set(),
    uses: [],
    hasClassDefault: false,
    dependsOnTls: false,
    aliases: undefined,
    ...(tls ? { tls } : {}),
  }
}

function taken(alias: string, loser: Contribution, holder: Contribution): Finding {
  const found = `the name ${quote(alias)} is that of ${nameOf(holder.object)}`
  return { reason: 'AnnotationConflict', object: loser.object, field: SERVER_ALIAS, found, effect: 'it holds the name' }
}
