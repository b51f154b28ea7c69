// What a rewrite comes to for one path (R11-46, R11-154).
import type { RedirectTarget, RoutePolicy, Template } from '../model/policy.ts'
import type { AnnotationFinding } from './annotation-finding.ts'
import type { RewriteSettings, WrittenRewrite } from './rewriting.ts'
import { type Groups, resolveTemplate, type WrittenTemplate } from './templates.ts'

export interface RewrittenPath {
  /** As its author wrote it. */
  readonly text: string
  /** As messages name it. */
  readonly label: string
  /** Whether it takes what lies below it. */
  readonly isPrefix: boolean
  readonly groups: Groups
}

export interface PathEffect {
  readonly policy: Pick<RoutePolicy, 'rewrite' | 'forwardedPrefix'> | undefined
  readonly redirect: RedirectTarget | undefined
  readonly findings: readonly AnnotationFinding[]
}

const NO_EFFECT: PathEffect = { policy: undefined, redirect: undefined, findings: [] }

/** The rewrite of one path, or its redirect; a target that names a capture which it does not have does nothing there. */
export function rewriteOf({ rewrite, forwardedPrefix }: RewriteSettings, path: RewrittenPath): PathEffect {
  if (!rewrite || (rewrite.effect !== 'matched' && rewrite.text === path.text)) return NO_EFFECT
  const target = resolve(rewrite, path)
  if ('finding' in target) return { ...NO_EFFECT, findings: [target.finding] }
  const { template } = target
  if (rewrite.effect === 'redirect') {
    return { ...NO_EFFECT, redirect: { base: 'url', template, keepsQuery: true } }
  }
  const replaces = rewrite.effect === 'matched' && path.isPrefix ? 'matched' : 'whole'
  const prefix = forwardedPrefix && resolve(forwardedPrefix, path)
  const policy = { rewrite: { replaces, template } } as const
  if (!prefix) return { ...NO_EFFECT, policy }
  if ('finding' in prefix) return { ...NO_EFFECT, policy, findings: [prefix.finding] }
  return { ...NO_EFFECT, policy: { ...policy, forwardedPrefix: prefix.template } }
}

function resolve(
  written: Pick<WrittenRewrite, 'key'> & { readonly template: WrittenTemplate },
  { label, groups }: RewrittenPath,
): { readonly template: Template } | { readonly finding: AnnotationFinding } {
  const template = resolveTemplate(written.template, groups)
  if (template.ok) return { template: template.value }
  const found = `${written.key} names the capture ${template.error}, which ${label} does not have`
  return { finding: { reason: 'InvalidAnnotation', key: written.key, found, effect: 'it does nothing there' } }
}
