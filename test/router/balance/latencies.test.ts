import { expect } from 'chai'
import { Latencies } from '../../../src/router/balance/latencies.ts'
import { endpoint } from '../../builders/route-table.ts'

const [A, B, C] = ['192.0.2.1:80', '192.0.2.2:80', '192.0.2.3:80'] as const
const of = (...addresses: readonly string[]): ReturnType<typeof endpoint>[] => addresses.map((one) => endpoint(one))

describe('latencies', () => {
  it('count a longer time at once and whole', () => {
    const latencies = new Latencies(of(A), undefined, 0)
    latencies.answered(A, 10, 0)
    latencies.answered(A, 300, 1)
    expect(latencies.of(A, 1)).to.equal(300)
  })

  it('fade to 1/e in 10 s (R20-134)', () => {
    const latencies = new Latencies(of(A), undefined, 0)
    latencies.answered(A, 100, 0)
    expect(latencies.of(A, 10_000)).to.be.closeTo(36.79, 0.01)
    expect(latencies.of(A, 20_000)).to.be.closeTo(13.53, 0.01)
  })

  it('come down to a shorter time as the longer one fades', () => {
    const latencies = new Latencies(of(A), undefined, 0)
    latencies.answered(A, 1000, 0)
    for (let ms = 100; ms <= 5_000; ms += 100) latencies.answered(A, 10, ms)
    expect(latencies.of(A, 5_000)).to.be.closeTo(610, 3)
    for (let ms = 5_100; ms <= 80_000; ms += 100) latencies.answered(A, 10, ms)
    expect(latencies.of(A, 80_000)).to.be.closeTo(10, 0.4)
  })

  it('stay where a steady time is measured, however often', () => {
    const latencies = new Latencies(of(A), undefined, 0)
    for (let ms = 0; ms < 30_000; ms += 1) latencies.answered(A, 25, ms)
    expect(latencies.of(A, 30_000)).to.be.closeTo(25, 0.01)
  })

  it('count what was given up only where it is a peak', () => {
    const latencies = new Latencies(of(A), undefined, 0)
    latencies.answered(A, 50, 0)
    latencies.gaveUp(A, 20, 0)
    expect(latencies.of(A, 0)).to.equal(50)
    latencies.gaveUp(A, 60_000, 0)
    expect(latencies.of(A, 0)).to.equal(60_000)
  })

  it('are 0 before anything is measured, and drop what is not theirs', () => {
    const latencies = new Latencies(of(A), undefined, 0)
    latencies.answered(B, 10, 0)
    expect([latencies.of(A, 0), latencies.of(B, 0)]).to.deep.equal([0, 0])
  })

  it('begin for a new endpoint with the mean of those that are known', () => {
    const before = new Latencies(of(A, B), undefined, 0)
    before.answered(A, 10, 0)
    before.answered(B, 30, 0)
    expect(new Latencies(of(A, B, C), before, 0).of(C, 0)).to.equal(20)
  })

  it('are shared with those that follow, for the addresses of both (R00-17)', () => {
    const before = new Latencies(of(A, B), undefined, 0)
    const after = new Latencies(of(B, C), before, 0)
    before.answered(B, 40, 0)
    after.answered(C, 70, 0)
    expect([before.of(B, 0), after.of(B, 0), after.of(C, 0), before.of(C, 0)]).to.deep.equal([40, 40, 70, 0])
    before.answered(A, 5, 0)
    expect(before.of(A, 0)).to.equal(5)
  })

  it('stand still where time seems to go back', () => {
    const latencies = new Latencies(of(A), undefined, 1000)
    latencies.answered(A, 10, 1000)
    expect(latencies.of(A, 0)).to.equal(10)
  })
})
