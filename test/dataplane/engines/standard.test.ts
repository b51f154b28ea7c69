import { globSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { createStandardEngine } from '../../../src/dataplane/engines/standard/server.ts'
import { engineContract } from '../../contract/engine.ts'

engineContract('standard engine', createStandardEngine)

describe('sources of the data plane', () => {
  const sources = globSync('src/dataplane/**/*.ts').map((file) => ({ file, text: readFileSync(file, 'utf8') }))

  for (const { word, why } of [
    { word: 'insecureHTTPParser', why: 'R70-58: no lenient parser' },
    { word: 'httpValidation', why: 'R70-58: no lenient parser' },
    { word: 'headersDistinct', why: 'R70-73: raw header lists alone' },
    { word: '.pipe(', why: 'R70-128: pipe passes on neither errors nor destruction' },
  ]) {
    it(`never say ${word} (${why})`, () => {
      expect(sources.length).to.be.above(20)
      expect(sources.filter(({ text }) => text.includes(word)).map(({ file }) => file)).to.deep.equal([])
    })
  }
})
