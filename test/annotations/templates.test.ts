import { expect } from 'chai'
import {
  type Groups,
  NO_GROUPS,
  pathTemplate,
  readBracedTemplate,
  readNginxTemplate,
  resolveTemplate,
  urlTemplate,
  type WrittenTemplate,
} from '../../src/annotations/templates.ts'

const TWO: Groups = { count: 2, names: new Map([['name', 2]]) }

function templateIn(read: { readonly ok: boolean; readonly value?: WrittenTemplate }): WrittenTemplate | undefined {
  return read.ok ? read.value : undefined
}

describe('targets with captures', () => {
  describe('as nginx writes them (R11-46)', () => {
    const good: readonly (readonly [string, WrittenTemplate])[] = [
      ['/a', ['/a']],
      ['/$2', ['/', { group: 2 }]],
      ['$1', [{ group: 1 }]],
      ['/a$1b$9', ['/a', { group: 1 }, 'b', { group: 9 }]],
      ['/$10', ['/', { group: 1 }, '0']],
    ]
    for (const [text, want] of good) {
      it(`${text} is good`, () => expect(templateIn(pathTemplate(readNginxTemplate)(text))).to.deep.equal(want))
    }
    // The last but one could be a header of its own; the last would leave the path.
    for (const text of [
      'a',
      'a/$1',
      '/$',
      '/$uri',
      '/$0',
      `/\${1}`,
      '/a b',
      '/a?b=$1',
      '/a#b',
      '/ü',
      '/a\r\nX: y',
      '/..',
    ]) {
      it(`${JSON.stringify(text)} is bad`, () => {
        expect(pathTemplate(readNginxTemplate)(text).ok).to.equal(false)
      })
    }
  })

  describe('in braces (R11-154)', () => {
    const good: readonly (readonly [string, WrittenTemplate])[] = [
      [`/\${0}`, ['/', { group: 0 }]],
      [`/v2\${1}/\${name}`, ['/v2', { group: 1 }, '/', { group: 'name' }]],
      [`/\${12}`, ['/', { group: 12 }]],
    ]
    for (const [text, want] of good) {
      it(`${text} is good`, () => expect(templateIn(pathTemplate(readBracedTemplate)(text))).to.deep.equal(want))
    }
    for (const text of ['/$1', `/\${`, `/\${}`, `/\${1x}`, `/\${123}`, '/$', `x\${0}`]) {
      it(`${text} is bad`, () => expect(pathTemplate(readBracedTemplate)(text).ok).to.equal(false))
    }
  })

  describe('as URLs (R11-46)', () => {
    for (const text of ['https://a.example/', 'http://a.example', 'https://a.example:8443/x/$1']) {
      it(`${text} is good`, () => expect(urlTemplate(readNginxTemplate)(text).ok).to.equal(true))
    }
    const bad = [
      'https://$1/',
      'https://a.$1.example/',
      'https://',
      'https://u@a.example/',
      'https://a.example/?b',
      '/a',
    ]
    for (const text of bad) {
      it(`${text} is bad`, () => expect(urlTemplate(readNginxTemplate)(text).ok).to.equal(false))
    }
  })

  describe('for one path', () => {
    it('names become numbers', () => {
      const template = [{ group: 'name' }, '/', { group: 1 }]
      expect(resolveTemplate(template, TWO)).to.deep.equal({ ok: true, value: [2, '/', 1] })
    })

    it('a capture that the path does not have is named', () => {
      expect(resolveTemplate(['/', { group: 3 }], TWO)).to.deep.equal({ ok: false, error: '3' })
      expect(resolveTemplate([{ group: 'other' }], TWO)).to.deep.equal({ ok: false, error: 'other' })
    })

    it('what matched is there for every path', () => {
      expect(resolveTemplate([{ group: 0 }], NO_GROUPS)).to.deep.equal({ ok: true, value: [0] })
    })
  })
})
