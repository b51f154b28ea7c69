import { pino } from 'pino'
import { isRecord } from '../lib/json-record.ts'
import { redacted } from './redact.ts'

export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Flat values by lowerCamelCase name (R80-39). `err` takes whatever was thrown. Secrets are taken out by the logger. */
export type LogFields = Readonly<Record<string, unknown>>

/** Where a part of Ramjet writes its records: a constant message and fields. */
export interface Logger {
  /** A person should look. */
  error(fields: LogFields, message: string): void
  /** Ramjet does less than it was asked to. */
  warn(fields: LogFields, message: string): void
  /** A change of state: a few lines a minute at rest. */
  info(fields: LogFields, message: string): void
  /** One record per object; never one per request. */
  debug(fields: LogFields, message: string): void
  /** The logger of a part: its records carry `target`, dotted below that of this logger (`controllers.ingress`). */
  child(target: string): Logger
}

export interface LogSettings {
  readonly format: 'json' | 'pretty'
  readonly level: LogLevel
  /** Levels of targets and all that is dotted below them; the longest that fits rules (R32-21). */
  readonly targets: ReadonlyMap<string, LogLevel>
}

/** Takes whole lines, each with its line feed. */
export interface LineSink {
  write(line: string): void
}

/** The root logger over `sink`: one JSON object a line, or one line for people (R32-21). */
export function createLogger(settings: LogSettings, sink: LineSink): Logger {
  return new PinoLogger(settings, rootOf(settings, sink), '')
}

function rootOf(settings: LogSettings, sink: LineSink): pino.Logger {
  const options: pino.LoggerOptions = {
    // Each logger below has the level of its target; the root must let all of them through.
    level: 'debug',
    messageKey: 'message',
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }), log: redacted },
    // `redacted` has made a plain object of it; pino's own serializer would take that for no error.
    serializers: { err: (value: unknown) => value },
  }
  return pino(options, { write: (line: string) => sink.write(lineFor(settings.format, line)) })
}

class PinoLogger implements Logger {
  readonly #settings: LogSettings
  readonly #root: pino.Logger
  readonly #target: string
  readonly #pino: pino.Logger

  constructor(settings: LogSettings, root: pino.Logger, target: string) {
    this.#settings = settings
    this.#root = root
    this.#target = target
    this.#pino = root.child(target === '' ? {} : { target }, { level: levelOf(settings, target) })
  }

  error(fields: LogFields, message: string): void {
    this.#pino.error(fields, message)
  }

  warn(fields: LogFields, message: string): void {
    this.#pino.warn(fields, message)
  }

  info(fields: LogFields, message: string): void {
    this.#pino.info(fields, message)
  }

  debug(fields: LogFields, message: string): void {
    this.#pino.debug(fields, message)
  }

  child(target: string): Logger {
    const dotted = this.#target === '' ? target : `${this.#target}.${target}`
    return new PinoLogger(this.#settings, this.#root, dotted)
  }
}

/** The level that rules `target`: its own, else that of the nearest target above it, else the default. */
export function levelOf(settings: LogSettings, target: string): LogLevel {
  for (let name = target; name !== ''; name = name.slice(0, Math.max(0, name.lastIndexOf('.')))) {
    const level = settings.targets.get(name)
    if (level !== undefined) return level
  }
  return settings.level
}

// What JSON leaves as it is but a terminal may obey: DEL, the C1 set, and the line separators of Unicode.
const TERMINAL_CONTROLS = /[\u007f-\u009f\u2028\u2029]/g

function lineFor(format: LogSettings['format'], line: string): string {
  return format === 'json' ? escaped(line) : prettyLine(line)
}

function prettyLine(json: string): string {
  const record: unknown = JSON.parse(json)
  if (!isRecord(record)) return json
  const { time, level, target, message, ...fields } = record
  const clock = String(time).slice(11, 23)
  const words = [clock, String(level).toUpperCase().padEnd(5)]
  if (typeof target === 'string') words.push(`${target}:`)
  words.push(String(message))
  for (const [name, value] of Object.entries(fields)) words.push(`${name}=${prettyValue(value)}`)
  return `${escaped(words.join(' '))}\n`
}

const PLAIN = /^[\w./:@%+*-]+$/

function prettyValue(value: unknown): string {
  if (typeof value === 'number') return String(Math.round(value * 1000) / 1000)
  return typeof value === 'string' && PLAIN.test(value) ? value : JSON.stringify(value)
}

function escaped(text: string): string {
  return text.replace(TERMINAL_CONTROLS, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
