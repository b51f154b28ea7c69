// The proxy itself: what it forwards is the API server's own, and each fault is the fault that it says.
import { readFileSync } from 'node:fs'
import { Agent, get } from 'node:https'
import { join } from 'node:path'
import { expect } from 'chai'
import { writeIdentity } from '../../hack/cluster/identity.ts'
import { FaultProxy, laterPageOf, listOf, watchOf } from './fault-proxy.ts'
import { theCluster } from './support/cluster.ts'
import { eventually } from './support/eventually.ts'
import { namespaceForEach } from './support/scene.ts'

const SERVICES = '/api/v1/services'
const NOBODY = '/api/v1/namespaces/default/services/nobody'

interface Got {
  readonly status: number
  readonly retryAfter: string | undefined
  text: string
  hasEnded: boolean
}

describe('the fault proxy', () => {
  const namespace = namespaceForEach()
  let proxy: FaultProxy
  let agent: Agent
  let authorization: string

  beforeEach(async () => {
    proxy = await FaultProxy.start(theCluster())
    const identity = await writeIdentity(theCluster())
    agent = new Agent({ ca: readFileSync(join(identity, 'ca.crt')) })
    authorization = `Bearer ${readFileSync(join(identity, 'token'), 'utf8')}`
  })

  afterEach(async () => {
    await proxy.stop()
    agent.destroy()
  })

  /** Resolves with the head; the body grows. */
  const ask = (path: string): Promise<Got> =>
    new Promise((resolve, reject) => {
      const request = get(`${proxy.url}${path}`, { agent, headers: { authorization } }, (response) => {
        const { statusCode: status = 0, headers } = response
        const got: Got = { status, retryAfter: headers['retry-after'], text: '', hasEnded: false }
        response.setEncoding('utf8').on('error', () => {})
        response.on('data', (text: string) => {
          got.text += text
        })
        response.once('close', () => {
          got.hasEnded = true
        })
        resolve(got)
      })
      request.once('error', reject)
    })

  const whole = async (path: string): Promise<Got> => {
    const got = await ask(path)
    await eventually(() => expect(got.hasEnded).to.equal(true))
    return got
  }

  const version = async (): Promise<string> => {
    const { metadata } = JSON.parse((await whole(`${SERVICES}?limit=1`)).text) as {
      metadata: { resourceVersion: string }
    }
    return metadata.resourceVersion
  }

  it('forwards answers and refusals as they are, and remembers them', async () => {
    expect((await whole(SERVICES)).text).to.include('"kind":"ServiceList"')
    expect((await whole(NOBODY)).status).to.equal(404)
    expect(proxy.requests.map(({ path, status }) => `${status} ${path}`)).to.deep.equal([
      `200 ${SERVICES}`,
      `404 ${NOBODY}`,
    ])
  })

  it('answers a path with a status of its own, and cuts another', async () => {
    const injected = proxy.inject(listOf('services'), { kind: 'answer', status: 429, retryAfter: '7' })
    const refused = await whole(SERVICES)
    expect([refused.status, refused.retryAfter]).to.deep.equal([429, '7'])
    expect(JSON.parse(refused.text)).to.include({ kind: 'Status', reason: 'TooManyRequests', code: 429 })
    injected.lift()
    expect((await whole(SERVICES)).status).to.equal(200)
    proxy.inject(listOf('services'), { kind: 'cut' })
    expect(await ask(SERVICES).catch((error: NodeJS.ErrnoException) => error.code)).to.equal('ECONNRESET')
    expect(injected.hits).to.equal(1)
  })

  it('holds one page of a list, and no other', async () => {
    for (const name of ['one', 'two']) await namespace().service(name, 0)
    const held = proxy.inject(laterPageOf('services'), { kind: 'hold' })
    const first = JSON.parse((await whole(`${SERVICES}?limit=1`)).text) as { metadata: { continue: string } }
    const second = whole(`${SERVICES}?limit=1&continue=${encodeURIComponent(first.metadata.continue)}`)
    await eventually(() => expect(held.hits).to.equal(1))
    expect((await whole(SERVICES)).status).to.equal(200)
    expect(proxy.seen(laterPageOf('services')).map(({ status }) => status)).to.deep.equal([0])
    held.lift()
    expect((await second).text).to.include('"kind":"ServiceList"')
  })

  it('pauses a watch without closing it, and drops lines of one', async () => {
    const watch = await ask(`${SERVICES}?watch=true&resourceVersion=${await version()}`)
    const lossy = proxy.inject(watchOf('services'), {
      kind: 'drop',
      lines: ({ object }) => object.metadata?.name === 'lost',
    })
    for (const name of ['lost', 'kept']) await namespace().service(name, 0)
    await eventually(() => expect(watch.text).to.include('"name":"kept"'))
    expect(lossy.hits).to.equal(1)
    expect(watch.text).to.not.include('"name":"lost"')
    const paused = proxy.inject(watchOf('services'), { kind: 'pause' })
    await namespace().service('late', 0)
    await eventually(() => expect(paused.hits).to.equal(1))
    expect([watch.text.includes('"name":"late"'), watch.hasEnded]).to.deep.equal([false, false])
    paused.lift()
    await eventually(() => expect(watch.text).to.include('"name":"late"'))
  })

  it('goes away, so that nobody is reached, and comes back on its port', async () => {
    const watch = await ask(`${SERVICES}?watch=true&resourceVersion=${await version()}`)
    await proxy.goAway()
    await eventually(() => expect(watch.hasEnded).to.equal(true))
    expect(await ask(SERVICES).catch((error: NodeJS.ErrnoException) => error.code)).to.equal('ECONNREFUSED')
    await proxy.comeBack()
    expect((await whole(SERVICES)).status).to.equal(200)
  })
})
