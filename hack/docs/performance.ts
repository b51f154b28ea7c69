import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Goal, goalText, verdictOn } from '../../bench/bench.ts'
import type { Verdict } from '../../bench/paired-ratio.ts'
import type { BenchResult } from '../../bench/result-file.ts'
import { markdownTable, type Page } from './markdown.ts'

const ROOT = join(import.meta.dirname, '../..')

const INTRODUCTION = `
What was measured, with the command, the machine and the commit. Absolute figures are one machine's; run the command on yours.
Each run keeps every single figure beside its tables under \`bench/results\`. A goal is undecided where too few slots were quiet,
or where the quartiles of the ratio lie on both sides of it.

Not measured yet: several workers beside each other, the start with 10,000 Ingresses, 500 Ingresses in one batch, and how many
requests an upstream connection serves.
`

/** docs/performance.md: the runs that are kept, what they missed first, then what they leave open (R60-4, R60-16). */
export function performancePage(): Page {
  const files = globSync('bench/results/*.json', { cwd: ROOT }).toSorted()
  const results = files.map((file): BenchResult => JSON.parse(readFileSync(join(ROOT, file), 'utf8')))
  return {
    file: 'docs/performance.md',
    source: 'bench/results',
    title: 'Performance',
    body: [INTRODUCTION.trim(), goalsText(results), ...results.map(sectionOf)].join('\n\n'),
  }
}

function goalsText(results: readonly BenchResult[]): string {
  const goals = results.flatMap((result) => result.goals)
  const lines = LOSSES_FIRST.flatMap((verdict) => goals.filter((goal) => verdictOn(goal) === verdict).map(goalLine))
  return `## Goals\n\n${lines.join('\n')}`
}

const LOSSES_FIRST: readonly Verdict[] = ['fails', 'undecided', 'holds']

function goalLine(goal: Goal): string {
  const text = goalText(goal)
  switch (verdictOn(goal)) {
    case 'fails':
      return `- **Missed**: ${text}`
    case 'undecided':
      return `- **Undecided**: ${text}`
    case 'holds':
      return `- ${text}`
  }
}

function sectionOf({ name, about, command, startedAt, seconds, surroundings, tables }: BenchResult): string {
  const { cpu, cores, kernel, node, commit, changed } = surroundings
  const tree = changed ? `${commit.slice(0, 12)} with changes` : commit.slice(0, 12)
  return [
    `## ${name}`,
    `${about[0]?.toUpperCase()}${about.slice(1)}.`,
    `\`${command}\`, ${startedAt.slice(0, 10)}, ${seconds} s, commit ${tree}. ${cpu}, ${cores} cores, ${kernel}, Node ${node}.`,
    ...tables.map(({ title, heads, rows }) => `**${title}**\n\n${markdownTable(heads, rows)}`),
  ].join('\n\n')
}
