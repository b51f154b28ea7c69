import { expect } from 'chai'
import { readReport } from '../../bench/load/wrk.ts'

const REPORT = `Running 1s test @ http://127.0.0.1:8080/
  1 threads and 64 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     3.02ms  512.00us  12.11ms   91.00%
  Latency Distribution
     50%    2.91ms
     75%    3.04ms
     90%    3.40ms
     99%  905.00us
  21034 requests in 1.00s, 5.42MB read
  Socket errors: connect 0, read 2, write 1, timeout 4
  Non-2xx or 3xx responses: 10
Requests/sec:  21010.55
p99.9: 12034 us
`

describe('the report of wrk', () => {
  it('gives requests, rate, latency in milliseconds, and every kind of fault (R60-11)', () => {
    const latency = { p50Ms: 2.91, p99Ms: 0.905, p999Ms: 12.034 }
    const value = { requests: 21_034, perSecond: 21_010.55, ...latency, faults: 17 }
    expect(readReport(REPORT)).to.deep.equal({ ok: true, value })
  })

  it('has no fault where wrk names none', () => {
    const clean = REPORT.split('\n').filter((line) => !/Socket|Non-2xx/.test(line))
    expect(readReport(clean.join('\n'))).to.have.nested.property('value.faults', 0)
  })

  it('is none where wrk printed something else', () => {
    expect(readReport('unable to connect to 127.0.0.1:8080 Connection refused')).to.deep.equal({
      ok: false,
      error: 'no-report',
    })
  })
})
