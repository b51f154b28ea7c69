// `ramjet generations` and `ramjet rollback` against a real admin listener (R32-27 to R32-29).
import { createServer, type Server, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { expect } from 'chai'
import { AdminToken } from '../../src/admin/admin-token.ts'
import { runGenerations } from '../../src/cli/generations.ts'
import { runRollback } from '../../src/cli/rollback.ts'
import type { ExitCode, VerbDeps } from '../../src/cli/verb.ts'
import type { GenerationName } from '../../src/generations/store.ts'
import { NO_DIFF } from '../../src/model/generation-diff.ts'
import { AdminBench } from '../admin/admin-bench.ts'
import { asPair, tablesOf } from '../builders/pair.ts'
import { FakeClock } from '../fakes/clock.ts'
import { listening } from '../fakes/listening.ts'
import { FakeLogger } from '../fakes/logger.ts'
import { temporaryFolder } from '../fakes/temporary-folder.ts'

const PAIR = asPair(tablesOf({ 'a.example': [] }), { generation: 41, version: 7 })
const { digest } = PAIR.generation
const FACTS = { routes: 1, hosts: 1, certificates: 0, diff: { ...NO_DIFF, routesAdded: ['x'] }, atMs: 0 }
const HISTORY = [
  { number: 42, digest: 'b', previous: 41, ...FACTS, outcome: { kind: 'held' } },
  { number: 41, digest, previous: 40, ...FACTS, outcome: { kind: 'applied' } },
] as const

const BOLD = '\u001B[1m'
const PLAIN = '\u001B[0m'

interface Outcome {
  readonly code: ExitCode
  readonly out: string
  readonly err: string
}

describe('verbs that ask a replica', () => {
  const dir = temporaryFolder('token', { token: 'the-token\n' })
  const tokenFile = join(dir, 'token')
  let bench: AdminBench
  let asked: unknown[]

  before(async () => {
    bench = await AdminBench.start({
      token: new AdminToken(tokenFile, new FakeLogger()),
      sources: {
        generations: () => ({ pair: PAIR, pinned: 41, history: HISTORY }),
        pin: (name: GenerationName) => {
          asked.push(name)
          const isKept = !('number' in name) || name.number === 41
          return Promise.resolve(
            isKept ? { kind: 'pinned', generation: PAIR.generation } : { kind: 'unknown', kept: [PAIR.generation] },
          )
        },
        release: () => {
          asked.push('release')
          return Promise.resolve()
        },
        replicas: () => [
          { name: 'ramjet-0', address: bench.address, ready: true, self: true },
          { name: 'ramjet-1', address: '127.0.0.1:1', ready: true, self: false },
        ],
      },
    })
  })
  after(() => bench.server.close())
  beforeEach(() => {
    asked = []
  })

  async function run(line: string, over: Partial<VerbDeps> = {}): Promise<Outcome> {
    const filled = line
      .split(' ')
      .map((word) => word.replace('URL', `http://${bench.address}`).replace('TOKEN', tokenFile))
    const [verb, ...words] = filled
    let [out, err] = ['', '']
    const deps: VerbDeps = {
      out: (text) => {
        out += text
      },
      err: (text) => {
        err += text
      },
      columns: undefined,
      colour: true,
      version: 'ramjet 1.2.3\n',
      timers: new FakeClock(),
      ...over,
    }
    const code = await (verb === 'generations' ? runGenerations(words, deps) : runRollback(words, deps))
    return { code, out, err }
  }

  it('generations shows the history, and which one serves', async () => {
    const { code, out, err } = await run('generations --url URL')
    expect([code, err]).to.deep.equal([0, ''])
    expect(out.split('\n').map((line) => line.split(/ {2,}/))).to.deep.equal([
      ['GENERATION', 'STATE', 'APPLIED', 'DIGEST', 'ROUTES', 'HOSTS', 'CHANGES'],
      ['42', 'held back', '1970-01-01T00:00:00.000Z', 'b', '1', '1', '1 route added (gen 41->42)'],
      ['41', 'serving, pinned', '1970-01-01T00:00:00.000Z', digest, '1', '1', '1 route added (gen 40->41)'],
      [''],
    ])
  })

  it('generations --output json gives the document as it came', async () => {
    const { code, out } = await run(`generations --url=${bench.address} --output=json`)
    expect(code).to.equal(0)
    expect(JSON.parse(out)).to.deep.equal((await bench.ask('/admin/generations')).document)
  })

  it('generations --all tells what each replica serves, and 1 where one cannot be asked', async () => {
    const { code, out, err } = await run('generations --all --url URL')
    expect(code).to.equal(1)
    expect(out)
      .to.match(new RegExp(`^ramjet-0 +41 +${digest} +41$`, 'm'))
      .and.to.match(/^ramjet-1 +- +- +-$/m)
    expect(err).to.match(/^ramjet: ramjet-1: .*502: the replica cannot be reached$/m)
  })

  it('rollback pins by number and by digest, with the token', async () => {
    const { code, out } = await run('rollback --generation 41 --url URL --token-file TOKEN')
    expect([code, out]).to.deep.equal([0, `serving generation 41 (${digest}), pinned\n`])
    await run(`rollback --digest ${digest} --url URL --token-file TOKEN`)
    expect(asked).to.deep.equal([{ number: 41 }, { digest }])
  })

  it('rollback --release releases', async () => {
    expect((await run('rollback --release --url URL --token-file TOKEN')).code).to.equal(0)
    expect(asked).to.deep.equal(['release'])
  })

  it('rollback --all is one request, told replica by replica, and 1 where one failed', async () => {
    const { code, out } = await run('rollback --generation 41 --all --url URL --token-file TOKEN')
    expect(code).to.equal(1)
    expect(out)
      .to.match(/^ramjet-0 +127\.0\.0\.1:\d+ +pinned +-$/m)
      .and.to.match(/^ramjet-1 +127\.0\.0\.1:1 +failed +/m)
    expect(asked).to.have.length(1)
  })

  it('tells what is kept where that generation is not, and 1', async () => {
    const { code, err } = await run('rollback --generation 3 --url URL --token-file TOKEN')
    expect(code).to.equal(1)
    expect(err).to.include(`404: no such generation is kept; kept: 41 (${digest})`)
  })

  it('is 1 where the replica refuses, or is not there', async () => {
    const refused = await run('rollback --release --url URL')
    expect(refused).to.include({ code: 1, out: '' })
    expect(refused.err).to.include('401: this needs the token of --admin-token-file; --token-file names the file')
    for (const host of ['127.0.0.1', 'localhost']) {
      const gone = await run(`generations --url ${host}:1`)
      expect(gone.code).to.equal(1)
      expect(gone.err).to.match(/: connect .*ECONNREFUSED .*; --url names the admin listener/)
    }
  })

  describe('at an address where somebody else answers', () => {
    let server: Server
    let answer: (response: ServerResponse, path: string) => void
    let url: string

    beforeEach(async () => {
      server = createServer((incoming, response) => answer(response, incoming.url ?? ''))
      url = `http://127.0.0.1:${await listening(server)}`
    })
    afterEach(() => {
      server.closeAllConnections()
      server.close()
    })

    const VERBS = ['generations', 'generations --all', 'rollback --generation 1', 'rollback --release']
    for (const body of ['', '[]', '{}', '{"status": "ok"}', '{"generations": 5, "replicas": {}, "serving": "1"}']) {
      for (const verb of VERBS) {
        it(`${verb} is 1 for the answer ${JSON.stringify(body)}`, async () => {
          answer = (response) => response.end(body)
          const { code, out, err } = await run(`${verb} --url ${url}`)
          expect([code, out]).to.deep.equal([1, ''])
          expect(err).to.equal(`ramjet: ${url}: the answer is no document of Ramjet's\n`)
        })
      }
    }

    it('rollback is 1 where the answer says that nothing is pinned', async () => {
      answer = (response) => response.end('{"serving": 1, "digest": "d", "pinned": null}')
      expect((await run(`rollback --generation 1 --url ${url}`)).code).to.equal(1)
      expect((await run(`rollback --release --url ${url}`)).code).to.equal(0)
    })

    it('is 1 where the connection becomes one of another protocol', async () => {
      answer = ({ socket }) => socket?.write('HTTP/1.1 101 Other\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n')
      const { code, err } = await run(`rollback --release --url ${url}`)
      expect([code, err]).to.deep.equal([1, `ramjet: ${url}: the answer is of another protocol\n`])
    })

    it('lets no answer steer the terminal', async () => {
      const steering = '\u001B[2J\u009B2J\r\n'
      answer = (response) => response.writeHead(500).end(JSON.stringify({ detail: steering }))
      const failed = await run(`rollback --release --url ${url}`)
      expect(failed.err).to.equal(`ramjet: ${url}: 500: ?[2J?2J??\n`)
      answer = (response) => response.end(JSON.stringify({ serving: 1, digest: steering, pinned: null }))
      expect((await run(`rollback --release --url ${url}`)).out).to.equal(
        'serving generation 1 (?[2J?2J??), not pinned\n',
      )
    })

    it('generations --all asks few replicas at once, so that none is refused for it', async () => {
      const names = Array.from({ length: 40 }, (_, index) => ({ name: `ramjet-${index}` }))
      const open = new Set<ServerResponse>()
      let most = 0
      answer = (response, path) => {
        if (path === '/admin/replicas') {
          response.end(JSON.stringify({ replicas: names }))
          return
        }
        open.add(response)
        most = Math.max(most, open.size)
        setImmediate(() => {
          open.delete(response)
          response.end('{"serving": 1, "generations": []}')
        })
      }
      const { code, out } = await run(`generations --all --url ${url}`)
      expect([code, out.split('\n').length]).to.deep.equal([0, 42])
      expect(most).to.be.at.most(16)
    })
  })

  for (const [line, fault] of [
    ['rollback', 'exactly one of --generation, --digest and --release must be given'],
    ['rollback --release --generation 1', 'exactly one of'],
    ['rollback --generation one', '--generation: must be a number'],
    ['rollback --generation 9007199254740993', '--generation: must be a number'],
    ['generations --url http://a/#b', '--url: must be an http or https URL'],
    ['rollback --digest 9f', '--digest: must be 32 hex digits'],
    ['rollback --release=yes', '--release: takes no value'],
    ['rollback --generation', '--generation: needs a value: N'],
    ['rollback --release --release', '--release: given twice'],
    ['rollback --relese', '--relese: unknown option; did you mean --release?'],
    ['rollback 41', '"41": unexpected word'],
    ['generations --output yaml', '--output: must be table or json'],
    ['generations --url ftp://a', '--url: must be an http or https URL'],
    ['generations --token-file /nowhere', '--token-file: /nowhere cannot be read'],
    ['generations --generation 1', '--generation: unknown option'],
  ] as const) {
    it(`${line} is wrong usage: 2, and asks nobody`, async () => {
      const { code, out, err } = await run(line)
      expect([code, out]).to.deep.equal([2, ''])
      expect(err).to.include(`ramjet: ${fault}`)
      expect(asked).to.deep.equal([])
    })
  }

  for (const verb of ['generations', 'rollback']) {
    it(`${verb} prints its help and the version, whatever else is given (R33-8)`, async () => {
      const help = await run(`${verb} --nonsense --help`)
      expect(help.code).to.equal(0)
      for (const option of ['--url', '--token-file', '--output', '--all']) expect(help.out).to.include(option)
      expect(help.out).to.include('http://127.0.0.1:10254').and.to.include('with 2 for wrong usage')
      expect(await run(`${verb} --version`)).to.deep.equal({ code: 0, out: 'ramjet 1.2.3\n', err: '' })
    })
  }

  it('cuts lines to a narrow terminal, and marks what serves unless NO_COLOR is set', async () => {
    const narrow = await run('generations --url URL', { columns: 40 })
    const lines = narrow.out.split('\n').map((line) => line.replace(BOLD, '').replace(PLAIN, ''))
    expect(Math.max(...lines.map(({ length }) => length))).to.equal(40)
    expect(narrow.out).to.include(`${BOLD}41`)
    expect((await run('generations --url URL', { columns: 40, colour: false })).out).not.to.include(BOLD)
    expect((await run('generations --url URL')).out).not.to.include(BOLD)
  })
})
