import { expect } from 'chai'
import { type AdminSources, adminPaths } from '../../src/admin/paths.ts'
import { readPage } from './pages.ts'

interface Row {
  readonly path: string
  readonly methods: readonly string[]
  readonly parameters: readonly string[]
}

const ROW = /^\| `(\/[^`]+)` \| ([A-Z, ]+) \| ([^|]+) \|/gm

/** Of these the map of paths knows nothing: they are no documents. */
const STREAMED: readonly Row[] = [
  { path: '/admin/events', methods: ['GET'], parameters: [] },
  { path: '/admin/replicas/NAME/PATH', methods: ['GET'], parameters: [] },
]

function rowsOfPage(): readonly Row[] {
  return [...readPage('docs/operations.md').matchAll(ROW)].map(([, path = '', methods = '', parameters = '']) => ({
    path,
    methods: methods.split(', '),
    parameters: [...parameters.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
  }))
}

/** No source is asked before a request comes. */
function rowsOfCode(): readonly Row[] {
  const paths = adminPaths({} as AdminSources, { turnAll: undefined })
  const documents = [...paths].map(([path, { methods, query }]) => {
    // A path that takes any question looks at one alone.
    const parameters = query ?? (path === '/readyz' ? ['verbose'] : [])
    return { path, methods: Object.keys(methods), parameters: [...parameters] }
  })
  return [...documents, ...STREAMED]
}

describe('docs/operations.md', () => {
  it('has a row for every path of the admin listener, with methods and parameters, and no other (R80-23)', () => {
    expect(rowsOfPage()).to.have.deep.members(rowsOfCode())
  })
})
