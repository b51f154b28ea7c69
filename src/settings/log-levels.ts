import { err, ok, type Result } from '../lib/result.ts'
import type { FlagReader } from './flag-reader.ts'

const LEVELS = ['error', 'warn', 'info', 'debug'] as const
type Level = (typeof LEVELS)[number]

export interface LogLevels {
  readonly level: Level
  /** By target, for all that is dotted below it too. */
  readonly targets: ReadonlyMap<string, Level>
}

interface LevelRule {
  /** `undefined`: every target without a rule of its own. */
  readonly target: string | undefined
  readonly level: Level
}

const TARGET = /^[A-Za-z][\w.-]{0,62}$/
const ALLOWED = `${LEVELS.join(', ')}, or TARGET= one of them`

/** The levels of `--log-level`, such as `info,proxy=debug`; of two for one target the last rules. */
export function logLevelsOf(reader: FlagReader): LogLevels {
  const rules = reader.texts('--log-level', parseLevelRule)
  const targets = new Map<string, Level>()
  let level: Level = 'info'
  for (const rule of rules) {
    if (rule.target === undefined) level = rule.level
    else targets.set(rule.target, rule.level)
  }
  return { level, targets }
}

function parseLevelRule(text: string): Result<LevelRule, string> {
  const equals = text.indexOf('=')
  const target = equals < 0 ? undefined : text.slice(0, equals)
  const level = LEVELS.find((known) => known === text.slice(equals + 1))
  if (level === undefined || (target !== undefined && !TARGET.test(target))) return err(ALLOWED)
  return ok({ target, level })
}
