import { expect } from 'chai'
import { runtimeFault } from '../../src/settings/runtime-gate.ts'

describe('runtimeFault (R70-120)', () => {
  for (const version of [
    '24.17.0',
    '24.18.2',
    '26.3.1',
    '26.10.0',
    '27.0.0',
    '27.0.0-nightly1',
    process.versions.node,
  ]) {
    it(`lets ${version} run`, () => expect(runtimeFault(version)).to.equal(undefined))
  }

  for (const version of ['18.0.0', '22.30.0', '24.16.9', '25.9.0', '26.3.0', '26.0.0', 'unknown']) {
    it(`refuses ${version}, and names what will do`, () => {
      expect(runtimeFault(version)).to.match(new RegExp(`^Node ${version} .*24\\.17\\.0, 26\\.3\\.1`))
    })
  }
})
