import { actionOf, DECISION_REASONS, type DecisionReason } from '../../src/model/event-reasons.ts'
import { WARNING_REASONS, type WarningReason } from '../../src/model/warning.ts'
import { markdownTable, type Page } from './markdown.ts'
import { ANNOTATION_TEXTS } from './warnings/annotation-texts.ts'
import { CERTIFICATE_TEXTS } from './warnings/certificate-texts.ts'
import { INGRESS_TEXTS } from './warnings/ingress-texts.ts'
import { PROCESS_TEXTS } from './warnings/process-texts.ts'
import type { ReasonText } from './warnings/reason-text.ts'

// A reason without a text does not compile.
const TEXTS: Readonly<Record<WarningReason, ReasonText>> = {
  ...INGRESS_TEXTS,
  ...ANNOTATION_TEXTS,
  ...CERTIFICATE_TEXTS,
  ...PROCESS_TEXTS,
}

const INTRODUCTION = `
A warning is a finding about one object: its reason, the object, the field and a sentence that says what Ramjet did instead. A
broken object costs only what is broken in it; everything else serves.

Current warnings are under \`GET /admin/warnings\`, and each is logged once when it appears (target \`compile\`).
The severity \`Warning\` means that something asked for does not act. \`Normal\` is a statement: nothing is lost.
`

/** docs/warnings.md. */
export function warningsPage(): Page {
  const reasons = (Object.keys(TEXTS) as WarningReason[]).toSorted()
  const rows = reasons.map((reason) => {
    const { object, field, told } = TEXTS[reason]
    const { severity, channel } = WARNING_REASONS[reason]
    const [usually, action] = channel === 'event' ? ['Event', actionOf(reason)] : ['log', '-']
    return [`[${reason}](#${reason.toLowerCase()})`, object, field, severity, told ?? usually, action]
  })
  const table = markdownTable(['reason', 'object', 'field', 'severity', 'told as', 'action'], rows)
  return {
    file: 'docs/warnings.md',
    source: 'src/model/warning.ts and hack/docs/warnings/',
    title: 'Warnings',
    body: [INTRODUCTION.trim(), table, DECISIONS_INTRODUCTION, decisionTable(), ...reasons.map(section)].join('\n\n'),
  }
}

const DECISIONS: Readonly<Record<DecisionReason, { readonly object: string; readonly when: string }>> = {
  Accepted: { object: 'our IngressClass', when: 'the class was claimed, or another replica began to write' },
  ConfigApplied: { object: 'our IngressClasses', when: 'a new generation serves; at most one in 10 s' },
  ConfigRejected: { object: 'our IngressClasses', when: 'a worker refused a generation; the last good one serves' },
  ConfigPinned: { object: 'our IngressClasses', when: 'a generation was pinned' },
  ConfigResumed: { object: 'our IngressClasses', when: 'the pin was released' },
}

const DECISIONS_INTRODUCTION = `
What is told as \`Event\` is written by the replica that leads, as an Event on the object (\`kubectl describe\` shows it) and as
a log record. Several warnings of one reason about one object are one Event. \`action\` is the Event's verb.

These Events report a decision, and are no warnings:
`.trim()

function decisionTable(): string {
  const rows = (Object.keys(DECISIONS) as DecisionReason[]).map((reason) => {
    const { severity, action } = DECISION_REASONS[reason]
    const { object, when } = DECISIONS[reason]
    return [`\`${reason}\``, object, severity, action, when]
  })
  return markdownTable(['reason', 'object', 'severity', 'action', 'when'], rows)
}

function section(reason: WarningReason): string {
  const { object, field, found, effect, mend } = TEXTS[reason]
  return [
    `## ${reason}`,
    '',
    `On: ${object}. Field: ${field}.`,
    '',
    `- **Found**: ${found}`,
    `- **Instead**: ${effect}`,
    `- **To mend**: ${mend}`,
  ].join('\n')
}
