import { expect } from 'chai'
import { ApiStatusError } from '../../src/runtime/api-errors.ts'
import type { ApiReader } from '../../src/runtime/client.ts'
import { isKindServed } from '../../src/runtime/served-kind.ts'

const RESOURCE = { group: 'ramjet.dev', version: 'v1', plural: 'things', kind: 'Thing', namespaced: true }
const signal = new AbortController().signal
const ALL = ['create', 'delete', 'get', 'list', 'watch']

function clientWith(answer: () => unknown): { readonly client: ApiReader; readonly asked: string[] } {
  const asked: string[] = []
  const client: ApiReader = {
    get: async (path) => {
      asked.push(path)
      return answer()
    },
    post: () => expect.fail(),
    watch: () => expect.fail(),
  }
  return { client, asked }
}

function refusal(status: number): never {
  throw new ApiStatusError('refused', { status, reason: '', retryAfterMs: 0, causes: [] })
}

const cases: readonly { readonly title: string; readonly answer: () => unknown; readonly isServed: boolean }[] = [
  {
    title: 'a kind with every verb is served',
    answer: () => ({ resources: [{ name: 'things', verbs: ALL }] }),
    isServed: true,
  },
  {
    title: 'a kind that cannot be created is about to go',
    answer: () => ({ resources: [{ name: 'things', verbs: ['delete', 'get', 'list', 'watch'] }] }),
    isServed: false,
  },
  {
    title: 'the status of a kind is not the kind',
    answer: () => ({ resources: [{ name: 'things/status', verbs: ALL }] }),
    isServed: false,
  },
  { title: 'a group without kinds serves none', answer: () => ({}), isServed: false },
  { title: 'a group that is not there serves none', answer: () => refusal(404), isServed: false },
  { title: 'discovery that is not for us says nothing against it', answer: () => refusal(403), isServed: true },
]

describe('isKindServed', () => {
  for (const { title, answer, isServed } of cases) {
    it(title, async () => {
      const { client, asked } = clientWith(answer)
      expect(await isKindServed(client, RESOURCE, signal)).to.equal(isServed)
      expect(asked).to.deep.equal(['/apis/ramjet.dev/v1'])
    })
  }

  it('rejects where the API server cannot say', async () => {
    const { client } = clientWith(() => refusal(503))
    const thrown: unknown = await isKindServed(client, RESOURCE, signal).catch((error: unknown) => error)
    expect(thrown).to.be.instanceOf(ApiStatusError)
  })
})
