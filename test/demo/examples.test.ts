import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { parseRouteFile, ROUTE_FILE_FIELDS } from '../../src/manifests/route-file.ts'
import { readRouteFile } from '../../src/manifests/static-routes.ts'
import { type RunningDemo, startDemo } from './running-demo.ts'

const EXAMPLES = join(import.meta.dirname, '..', '..', 'examples')
const CURL_LINE = /^ *# +(curl .*?) +# (\d{3}) (\S+)$/gm

const curls = [...readFileSync(join(EXAMPLES, 'dev-routes.yaml'), 'utf8').matchAll(CURL_LINE)].map(
  ([, command = '', status = '', backend = '']) => ({ command, status, backend }),
)

describe('npm run demo', function () {
  this.timeout(60_000)
  let demo: RunningDemo

  before(async () => {
    demo = await startDemo()
  })

  after(async () => {
    expect(await demo.stop()).to.equal(0)
  })

  it('has lines to try', () => {
    expect(curls).to.have.length.above(8)
  })

  for (const { command, status, backend } of curls) {
    it(`answers ${status} from ${backend} to ${command}`, async () => {
      const { code, stdout } = await demo.run(`${command} -s -w '%{stderr}%{http_code}' 2>&1`)
      expect(code).to.equal(0)
      expect(stdout).to.include(`"echo": "${backend}"`)
      expect(stdout).to.match(new RegExp(`${status}$`))
    })
  }

  it('prints every line of the file to try', () => {
    for (const { command } of curls) expect(demo.output()).to.include(command.split(' ').slice(2).join(' '))
  })
})

describe('examples/full-routes.yaml', () => {
  const text = readFileSync(join(EXAMPLES, 'full-routes.yaml'), 'utf8')

  it('is a good file', async () => {
    expect(await readRouteFile(join(EXAMPLES, 'full-routes.yaml'))).to.have.property('ok', true)
  })

  for (const [of, names] of Object.entries(ROUTE_FILE_FIELDS)) {
    for (const name of names) {
      it(`shows ${name} of ${of}`, () => expect(text).to.match(new RegExp(`(^|[{ ])${name}:`, 'm')))
    }
  }

  it('shows every policy and path type', () => {
    const read = parseRouteFile('full-routes.yaml', text)
    const file = read.ok ? read.value.file : undefined
    const policies = file?.backends.map(({ policy }) => (typeof policy === 'string' ? policy : policy.kind))
    expect(new Set(policies)).to.have.keys('roundRobin', 'leastConn', 'random', 'ewma', 'hash')
    expect(new Set(file?.routes.map(({ pathType }) => pathType))).to.have.lengthOf(3)
  })
})
