import { expect } from 'chai'
import { readH2Report } from '../../bench/load/h2load.ts'

const PRINTED = `Application protocol: h2
finished in 1.00s, 20300.50 req/s, 4.64MB/s
requests: 20316 total, 20320 started, 20316 done, 20303 succeeded, 13 failed, 11 errored, 2 timeout
status codes: 20303 2xx, 0 3xx, 2 4xx, 0 5xx
time for request:       51us       394us       175us        54us    76.20%
`
const LOG = '1796029369788103\t200\t1000\n1796029369788104\t200\t3000\n'

describe('the report of h2load', () => {
  it('gives what succeeded, the rate, the latency in milliseconds, and all that did not', () => {
    const read = readH2Report(PRINTED, LOG)
    if (!read.ok) throw new Error(read.error)
    expect(read.value).to.include({ units: 20_303, perSecond: 20_300.5, p50Ms: 2, faults: 15 })
    expect(read.value.p99Ms).to.be.closeTo(2.98, 1e-9)
  })

  it('is none where h2load printed something else', () => {
    expect(readH2Report('could not resolve host', '')).to.deep.equal({ ok: false, error: 'no-report' })
  })
})
