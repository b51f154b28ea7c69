import { expect } from 'chai'
import { DNS_LABEL, DNS_NAME } from '../../src/lib/dns-name.ts'

describe('names of DNS', () => {
  const cases = [
    { text: 'a', label: true, name: true },
    { text: 'shop-2', label: true, name: true },
    { text: 'a'.repeat(63), label: true, name: true },
    { text: 'a'.repeat(64), label: false, name: true },
    { text: 'shop.team', label: false, name: true },
    { text: `${'a.'.repeat(126)}a`, label: false, name: true },
    { text: `${'a.'.repeat(126)}aa`, label: false, name: false },
    { text: '', label: false, name: false },
    { text: '-shop', label: false, name: false },
    { text: 'shop-', label: false, name: false },
    { text: 'Shop', label: false, name: false },
    { text: 'shop\n', label: false, name: false },
  ]
  for (const { text, label, name } of cases) {
    it(`${JSON.stringify(text.slice(0, 12))} of ${text.length} characters is ${label ? 'a label' : 'no label'} and ${name ? 'a name' : 'no name'}`, () => {
      expect({ label: DNS_LABEL.test(text), name: DNS_NAME.test(text) }).to.deep.equal({ label, name })
    })
  }
})
