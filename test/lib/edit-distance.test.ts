import { expect } from 'chai'
import { nearest } from '../../src/lib/edit-distance.ts'

const known = ['http', 'https', 'workers', 'header-timeout', 'body-timeout', 'static-routes']

describe('nearest', () => {
  for (const [word, want] of [
    ['worker', 'workers'],
    ['wrokers', 'workers'],
    ['WORKERS', 'workers'],
    ['htp', 'http'],
    ['htpp', 'http'],
    ['httpss', 'https'],
    ['headr-timeout', 'header-timeout'],
    ['static-route', 'static-routes'],
    ['statc-ruotes', 'static-routes'],
    ['http', 'http'],
    ['xyz', undefined],
    ['', undefined],
    ['timeout', undefined],
    ['completely-different', undefined],
  ] as const) {
    it(`of ${JSON.stringify(word)} is ${want ?? 'none'}`, () => {
      expect(nearest(word, known)).to.equal(want)
    })
  }

  it('is the first of two that are equally near', () => {
    expect(nearest('cat', ['bat', 'hat'])).to.equal('bat')
  })

  it('takes the nearer one wherever it stands', () => {
    expect(nearest('abcdef', ['abcxxf', 'abcdex'])).to.equal('abcdex')
    expect(nearest('abcdef', ['abcdex', 'abcxxf'])).to.equal('abcdex')
  })

  it('is none where nothing is known', () => {
    expect(nearest('http', [])).to.equal(undefined)
  })
})
