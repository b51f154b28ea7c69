import { expect } from 'chai'
import { matchesLabels, parseLabelSelector } from '../../src/lib/label-selector.ts'

const SHOP = { team: 'shop', 'example.com/tier': 'front', canary: '' }

const cases: readonly { readonly text: string; readonly matches: boolean }[] = [
  { text: 'team=shop', matches: true },
  { text: 'team==shop', matches: true },
  { text: 'team = blog', matches: false },
  { text: 'team!=blog', matches: true },
  { text: 'team!=shop', matches: false },
  { text: 'owner!=shop', matches: true },
  { text: 'team in (blog, shop)', matches: true },
  { text: 'team notin (blog,shop)', matches: false },
  { text: 'owner notin (shop)', matches: true },
  { text: 'owner in (shop)', matches: false },
  { text: 'canary', matches: true },
  { text: 'canary=', matches: true },
  { text: '!canary', matches: false },
  { text: '!owner', matches: true },
  { text: 'team in (shop,blog),example.com/tier=front,!owner', matches: true },
  { text: 'team in (shop,blog),example.com/tier=back', matches: false },
  { text: 'constructor', matches: false },
  { text: '!toString', matches: true },
]

describe('a label selector', () => {
  for (const { text, matches } of cases) {
    it(`${text} ${matches ? 'matches' : 'does not match'} ${JSON.stringify(SHOP)}`, () => {
      const selector = parseLabelSelector(text)
      if (!selector.ok) throw new Error(`cannot be read: ${selector.error}`)
      expect(matchesLabels(selector.value, SHOP)).to.equal(matches)
    })
  }

  it('of an object without labels meets what asks for none', () => {
    const selector = parseLabelSelector('team!=shop')
    expect(selector.ok && matchesLabels(selector.value, undefined)).to.equal(true)
  })

  for (const { text, part } of [
    { text: '', part: '' },
    { text: 'team=shop,', part: '' },
    { text: 'team=shop,=x', part: '=x' },
    { text: 'team in shop', part: 'team in shop' },
    { text: 'team in (a b)', part: 'team in (a b)' },
    { text: 'team=sh op', part: 'team=sh op' },
    { text: 'team>3', part: 'team>3' },
    { text: '-team', part: '-team' },
  ]) {
    it(`"${text}" is refused at "${part}"`, () => {
      expect(parseLabelSelector(text)).to.deep.equal({ ok: false, error: part })
    })
  }

  it('that is far too long is refused in little time', () => {
    expect(parseLabelSelector('a'.repeat(100_000)).ok).to.equal(false)
  })
})
