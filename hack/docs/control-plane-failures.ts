import { FAILURES, type Failure, type Means } from '../../test/control-plane-failures.ts'
import { code, markdownTable, type Page } from './markdown.ts'

const INTRODUCTION = `
What goes wrong around a controller, what Ramjet does then, and the test that makes it happen. *Real* is a real API server with
its etcd; *proxy* the same behind a proxy that breaks what passes; *stand-in* a server of the test's own, where the real one
cannot be made to fail that way.
`

const MEANS: Readonly<Record<Means, string>> = { real: 'real', proxy: 'proxy', 'stand-in': 'stand-in' }

/** docs/control-plane-failures.md. */
export function controlPlaneFailuresPage(): Page {
  const rows = FAILURES.map((failure) => [failure.rule, failure.failure, failure.behaviour, proofOf(failure)])
  return {
    file: 'docs/control-plane-failures.md',
    source: 'test/control-plane-failures.ts',
    title: 'When the control plane fails',
    body: `${INTRODUCTION.trim()}\n\n${markdownTable(['rule', 'failure', 'what Ramjet does', 'shown by'], rows)}`,
  }
}

function proofOf({ proofs, waitsFor }: Failure): string {
  if (waitsFor) return `waits for ${waitsFor.feature}, which is not in this build`
  const files = new Map(proofs.map(({ file, means }) => [file, MEANS[means]]))
  return [...files].map(([file, means]) => `${code(file)} (${means})`).join('; ')
}
