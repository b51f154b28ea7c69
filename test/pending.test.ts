import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { ANNOTATIONS } from '../src/annotations/registry.ts'
import { parseOperatorConfig } from '../src/manifests/operator-config.ts'
import { FLAG_BY_NAME } from '../src/settings/flags.ts'
import { PENDING, PENDING_METRICS } from './pending.ts'

/** Every row of the table of probes; its numbers have gaps. */
const PROBES = numbers(
  '1-3 5-7 9-11 13-15 17-19 21-23 25-27 29-31 33-35 37-39 41-43 45-47 49-51 53-55 57-59 61-63 65-67 69-71',
  '73-75 77-79 81-83 85-87 89-91 93-95 97-99 101-103 105-107 109-111 113-115 117-119 121-123 125-127 129-131',
  '133-135 137-139 141-143 145-147 149-151 153-155 157-159 161-163 165-167 169-171 173-175 177-179 181-183',
  '185-187 189-191 193-195 197-199 201-203 205-207 209-211 213-215 217-219 221-223 225-227 229-231 233-235',
  '237-239 241-243 245-247',
)

/** As many as may be pending at most: to be lowered with the list, and never raised. */
const MOST = 0
const MOST_METRICS = 20

describe('the pending list (R71-17)', () => {
  const pending = PENDING.flatMap(({ rows }) => rows)

  it('names rows that there are, each once', () => {
    expect(new Set(pending).size).to.equal(pending.length)
    expect(PROBES).to.include.members(pending)
  })

  it('only gets shorter', () => {
    expect(pending).to.have.length(MOST)
    expect(PENDING_METRICS.flatMap(({ metrics }) => metrics)).to.have.length(MOST_METRICS)
  })

  for (const { feature, waitsFor } of PENDING_METRICS) {
    it(`waits with its metrics for what is not in this build: ${feature}`, () => {
      if ('flag' in waitsFor) expect(FLAG_BY_NAME.get(waitsFor.flag)).to.include({ built: false })
      else expect(isFieldRead(waitsFor.field)).to.equal(false)
    })
  }

  for (const { feature, flag, annotation, underway } of PENDING) {
    it(`waits for what is not in this build: ${feature}`, () => {
      if (flag !== undefined) expect(FLAG_BY_NAME.get(flag)).to.include({ built: false })
      if (annotation !== undefined) {
        const keys = ANNOTATIONS.filter(({ key }) => key.endsWith(`/${annotation}`))
        expect(keys).to.not.have.length(0)
        expect(keys.filter(({ built }) => built)).to.have.length(0)
      }
      expect(flag ?? annotation ?? underway).to.not.equal(undefined)
    })
  }

  it('and the tests together have every row of the probes, none of them in both', async () => {
    const tested = await testedRows()
    expect(
      PROBES.filter((row) => !tested.has(row) && !pending.includes(row)),
      'in neither',
    ).to.deep.equal([])
    expect(
      pending.filter((row) => tested.has(row)),
      'in both',
    ).to.deep.equal([])
  })
})

function isFieldRead(field: string): boolean {
  return parseOperatorConfig([{ file: 'config.yaml', text: `${field}: {}\n` }], () => undefined).ok
}

/** Rows that the table over raw sockets has, or that a test names as `71 #1, #2`. */
async function testedRows(): Promise<ReadonlySet<number>> {
  const found = new Set<number>()
  for (const name of await readdir(import.meta.dirname, { recursive: true })) {
    if (!name.endsWith('.ts') || name.startsWith('pending')) continue
    const text = await readFile(join(import.meta.dirname, name), 'utf8')
    const named = [...text.matchAll(/71 (#\d+(?:, #\d+)*)/g)].flatMap(([, list = '']) => list.match(/\d+/g) ?? [])
    const rows = name.startsWith('wire/rows/') ? [...text.matchAll(/\[(\d+), '|number: (\d+)/g)] : []
    for (const number of [...named, ...rows.map(([, first, second]) => first ?? second)]) found.add(Number(number))
  }
  return found
}

function numbers(...lines: readonly string[]): readonly number[] {
  return lines
    .flatMap((line) => line.split(' '))
    .flatMap((range) => {
      const [first = 0, last = first] = range.split('-').map(Number)
      return Array.from({ length: last - first + 1 }, (_none, index) => first + index)
    })
}
