import { expect } from 'chai'
import { readSurroundings } from '../../bench/surroundings.ts'

describe('surroundings of a figure (R60-8)', () => {
  it('name commit, versions, kernel and processor', () => {
    const { commit, node, kernel, cpu, cores } = readSurroundings()
    expect(commit).to.match(/^(?:[0-9a-f]{40})?$/)
    expect(node).to.equal(process.versions.node)
    expect(kernel).to.match(/\S \S/)
    expect(cpu).to.not.equal('')
    expect(cores).to.be.greaterThan(0)
  })
})
