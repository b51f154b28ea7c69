import { expect } from 'chai'
import { busySecondsBeside, readSurroundings } from '../../bench/surroundings.ts'

describe('surroundings of a figure (R60-8)', () => {
  it('name commit, versions, kernel and processor', () => {
    const { commit, node, kernel, cpu, cores } = readSurroundings()
    expect(commit).to.match(/^(?:[0-9a-f]{40})?$/)
    expect(node).to.equal(process.versions.node)
    expect(kernel).to.match(/\S \S/)
    expect(cpu).to.not.equal('')
    expect(cores).to.be.greaterThan(0)
  })

  it('name what the kernel is set to, each as one line', () => {
    const { sysctls } = readSurroundings()
    expect(sysctls['net.core.somaxconn']).to.match(/^\d+$/)
    expect(sysctls['net.ipv4.ip_local_port_range']).to.match(/^\d+ \d+$/)
  })
})

describe('the work of other CPUs (R60-2)', () => {
  it('leaves out the one that is named', () => {
    const all = busySecondsBeside(Number.MAX_SAFE_INTEGER)
    expect(all).to.be.greaterThan(0)
    expect(busySecondsBeside(0)).to.be.lessThan(all)
  })
})
