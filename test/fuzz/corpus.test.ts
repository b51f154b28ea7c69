import { expect } from 'chai'
import { readCorpus } from './corpus.ts'
import { DIFFERENCES } from './differences.ts'
import { judge } from './judge.ts'
import { chanceFrom, cutsOf, mutated } from './mutate.ts'
import { NodeParser } from './node-parser.ts'

describe('the corpus of the fuzzer (R71-16)', () => {
  const seen = new Set<string>()

  it('is read alike by every parser, whole and cut', async () => {
    const node = new NodeParser()
    const chance = chanceFrom(1)
    const inputs = readCorpus()
    expect(inputs).to.have.length.above(150)
    for (const input of inputs) {
      for (const cuts of [[], cutsOf(input, chance)]) {
        expect(await judge(input, cuts, node, (name) => seen.add(name)), JSON.stringify(input.slice(0, 300))).to.equal(
          undefined,
        )
      }
    }
  })

  it('is read alike with a thousand changes that are the same in every run', async () => {
    const node = new NodeParser()
    const chance = chanceFrom(7)
    const inputs = readCorpus().filter(({ length }) => length < 4096)
    for (let left = 1000; left > 0; left -= 1) {
      const input = mutated(inputs, chance)
      const fault = await judge(input, cutsOf(input, chance), node, (name) => seen.add(name))
      expect(fault, JSON.stringify(input.slice(0, 300))).to.equal(undefined)
    }
  })

  it('shows most of the listed differences to Node, and no other', () => {
    expect(DIFFERENCES.map(({ name }) => name)).to.include.members([...seen])
    expect(seen.size).to.be.above(DIFFERENCES.length / 2)
  })
})
