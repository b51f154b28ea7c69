// YAML with the line of everything in it. js-yaml's own values have no positions; the events of its parser do.
import { EVENT_ID, type Event, getScalarValue, parseEvents, SCALAR_STYLE, YAMLException } from 'js-yaml'
import { messageOf } from '../lib/errors.ts'
import { err, ok, type Result } from '../lib/result.ts'
import type { FileFault } from './file-fault.ts'

export type YamlNode = YamlScalar | YamlSequence | YamlMapping

export interface YamlScalar {
  readonly kind: 'scalar'
  /** Counted from 1, as editors do. */
  readonly line: number
  readonly text: string
  /** Whether it stands without quotes, so that it may be a number, a boolean or nothing at all. */
  readonly plain: boolean
}

export interface YamlSequence {
  readonly kind: 'sequence'
  readonly line: number
  readonly items: readonly YamlNode[]
}

export interface YamlMapping {
  readonly kind: 'mapping'
  readonly line: number
  readonly entries: readonly YamlEntry[]
}

export interface YamlEntry {
  readonly key: string
  readonly keyLine: number
  readonly value: YamlNode
}

/** Deeper than any file of ours. */
const MAX_DEPTH = 20

/** The one document of `source`. Anchors, aliases and tags are refused: nothing that is read here needs them. */
export function parseYaml(source: string): Result<YamlNode, FileFault> {
  try {
    return ok(new TreeBuilder(source, parseEvents(source, { maxDepth: MAX_DEPTH })).build())
  } catch (thrown) {
    if (thrown instanceof YamlFault) return err({ line: thrown.line, field: '', message: thrown.message })
    const isYaml = thrown instanceof YAMLException
    const line = isYaml ? (thrown.mark?.line ?? 0) + 1 : 1
    return err({ line, field: '', message: `no valid YAML: ${isYaml ? thrown.reason : messageOf(thrown)}` })
  }
}

class YamlFault extends Error {
  readonly line: number

  constructor(line: number, message: string) {
    super(message)
    this.line = line
  }
}

class TreeBuilder {
  readonly #source: string
  readonly #events: readonly Event[]
  readonly #lineStarts: readonly number[]
  #next = 0
  /** Where the last node with a position began: that of an empty value, which has none. */
  #line = 1

  constructor(source: string, events: readonly Event[]) {
    this.#source = source
    this.#events = events
    this.#lineStarts = lineStartsOf(source)
  }

  build(): YamlNode {
    const documents = this.#events.filter(({ type }) => type === EVENT_ID.DOCUMENT).length
    if (documents === 0) throw new YamlFault(1, 'is empty')
    if (documents > 1) throw new YamlFault(1, `has ${documents} documents; one is read`)
    this.#next = 1
    return this.#node()
  }

  #node(): YamlNode {
    const event = this.#events[this.#next]
    this.#next += 1
    switch (event?.type) {
      case EVENT_ID.SCALAR:
        return this.#scalar(event)
      case EVENT_ID.SEQUENCE:
        return this.#sequence(this.#begin(event.start, event))
      case EVENT_ID.MAPPING:
        return this.#mapping(this.#begin(event.start, event))
      case EVENT_ID.ALIAS:
        throw new YamlFault(this.#lineAt(event.anchorStart), 'has an alias; write the value out')
      case EVENT_ID.DOCUMENT:
      case EVENT_ID.POP:
      case undefined:
        throw new YamlFault(this.#line, 'is empty')
    }
  }

  #scalar(event: Extract<Event, { type: typeof EVENT_ID.SCALAR }>): YamlScalar {
    const line = this.#begin(event.valueStart, event)
    const text = getScalarValue(this.#source, event)
    return { kind: 'scalar', line, text, plain: event.style === SCALAR_STYLE.PLAIN }
  }

  #sequence(line: number): YamlSequence {
    const items: YamlNode[] = []
    while (!this.#ended()) items.push(this.#node())
    return { kind: 'sequence', line, items }
  }

  #mapping(line: number): YamlMapping {
    const entries = new Map<string, YamlEntry>()
    while (!this.#ended()) {
      const key = this.#node()
      if (key.kind !== 'scalar') throw new YamlFault(key.line, 'has a key that is no text')
      const twin = entries.get(key.text)
      if (twin !== undefined) throw new YamlFault(key.line, `has "${key.text}" twice, first on line ${twin.keyLine}`)
      entries.set(key.text, { key: key.text, keyLine: key.line, value: this.#node() })
    }
    return { kind: 'mapping', line, entries: [...entries.values()] }
  }

  #ended(): boolean {
    if (this.#events[this.#next]?.type !== EVENT_ID.POP) return false
    this.#next += 1
    return true
  }

  #begin(offset: number, { tagStart }: { readonly tagStart: number }): number {
    if (offset >= 0) this.#line = this.#lineAt(offset)
    if (tagStart >= 0) throw new YamlFault(this.#lineAt(tagStart), 'has a tag; write the value without it')
    return this.#line
  }

  #lineAt(offset: number): number {
    let low = 0
    let high = this.#lineStarts.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#lineStarts[middle] ?? 0) <= offset) low = middle + 1
      else high = middle
    }
    return low
  }
}

function lineStartsOf(source: string): readonly number[] {
  const starts = [0]
  for (let at = source.indexOf('\n'); at >= 0; at = source.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}
