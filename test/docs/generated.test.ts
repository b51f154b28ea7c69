import { expect } from 'chai'
import { markdownTable, pageText } from '../../hack/docs/markdown.ts'
import { generatedPages, stalePages } from '../../hack/gen-docs.ts'

describe('generated pages', () => {
  for (const page of generatedPages()) {
    it(`${page.file} is what ${page.source} says (R80-23)`, () => {
      expect(stalePages([page]), 'run npm run docs').to.deep.equal([])
    })
  }

  it('a page that differs from its file is stale', () => {
    const [page] = generatedPages()
    expect(page).to.not.equal(undefined)
    if (page) expect(stalePages([{ ...page, body: `${page.body} more` }])).to.have.length(1)
  })

  it('a page without a file is stale', () => {
    expect(stalePages([{ file: 'docs/none.md', source: '', title: '', body: '' }])).to.have.length(1)
  })

  it('begin by naming their source', () => {
    expect(pageText({ file: 'docs/a.md', source: 'src/a.ts', title: 'A', body: '\nbody\n' })).to.match(
      /^<!-- Made from src\/a\.ts .*-->\n\n# A\n\nbody\n$/,
    )
  })

  it('a bar in a cell does not end it', () => {
    expect(markdownTable(['a'], [['x | y']]).split('\n')).to.deep.equal(['| a |', '| --- |', '| x \\| y |'])
  })
})
