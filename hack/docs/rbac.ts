import { GRANTS, isWriting, type Reach } from '../rbac/table.ts'
import { code, markdownTable, type Page } from './markdown.ts'

const INTRODUCTION = `
What Ramjet may do in a cluster, why, and what happens without it. \`config/rbac\` grants exactly this; take away what you do not
want. Granted later, a permission is taken up without a restart: one to read is asked for again each minute, one to write tried
again every 5 minutes.

To watch some namespaces only, install Roles in place of the ClusterRole, and start Ramjet with \`--watch-namespace\`:

\`\`\`sh
node hack/gen-rbac.ts --namespaces shop,blog
\`\`\`

The component \`config/components/read-only\` leaves out every row that writes and sets \`--read-only\`.
`

const REACHES: Readonly<Record<Reach, string>> = {
  watched: 'the namespaces that are watched; all by default',
  cluster: 'the cluster',
  own: "Ramjet's own namespace",
}

/** docs/rbac.md. */
export function rbacPage(): Page {
  const rows = GRANTS.flatMap((grant) =>
    grant.resources.map((resource) => [
      code(grant.group === '' ? resource : `${resource}.${grant.group}`),
      `${grant.verbs.join(', ')}${isWriting(grant) ? ' (writes)' : ''}`,
      REACHES[grant.reach],
      grant.why,
      grant.without,
    ]),
  )
  const table = markdownTable(['resource', 'verbs', 'where', 'why', 'without it'], rows)
  return {
    file: 'docs/rbac.md',
    source: 'hack/rbac/table.ts',
    title: 'Permissions',
    body: `${INTRODUCTION.trim()}\n\n${table}`,
  }
}
