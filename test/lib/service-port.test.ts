import { expect } from 'chai'
import { parseServicePort } from '../../src/lib/service-port.ts'

const good: readonly (readonly [text: string, port: string])[] = [
  ['shop/web:80', '80'],
  ['shop/web:1', '1'],
  ['shop/web:65535', '65535'],
  ['shop/web:http', 'http'],
  ['shop/web:h2c-1', 'h2c-1'],
]

const bad = [
  '',
  'web:80',
  'shop/web',
  'shop/web:',
  'shop/web:0',
  'shop/web:65536',
  'shop/web:123456',
  'shop/web:-http',
  'shop/web:Http',
  'shop/web:a-name-above-fifteen',
  '/web:80',
  'shop/:80',
  'Shop/web:80',
  'shop/web/x:80',
  'shop/web:80:81',
  ` shop/web:80`,
]

describe('parseServicePort', () => {
  for (const [text, port] of good) {
    it(`reads ${text}`, () => {
      expect(parseServicePort(text)).to.deep.equal({ ok: true, value: { namespace: 'shop', name: 'web', port } })
    })
  }

  for (const text of bad) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      expect(parseServicePort(text)).to.have.property('error').that.contains('NAMESPACE/NAME:PORT')
    })
  }
})
