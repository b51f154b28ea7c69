import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { parseRouteFile, ROUTE_FILE_FIELDS } from '../../src/manifests/route-file.ts'
import { readRouteFile } from '../../src/manifests/static-routes.ts'
import { pemFiles } from '../builders/pem-files.ts'
import { makeCertificate } from '../fakes/certificates.ts'
import { type RunningDemo, startDemo } from './running-demo.ts'

const EXAMPLES = join(import.meta.dirname, '..', '..', 'examples')
const CURL_LINE = /^ *# +(curl .*?) +# (\d{3}) (\S+)$/gm

const curls = [...readFileSync(join(EXAMPLES, 'dev-routes.yaml'), 'utf8').matchAll(CURL_LINE)].map(
  ([, command = '', status = '', backend = '']) => ({ command, status, backend }),
)

/** The demo of a test is on other ports than those that the file names. */
function withoutPorts(text: string): string {
  return text.replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1')
}

describe('npm run demo', function () {
  this.timeout(120_000)
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
    for (const { command } of curls) expect(withoutPorts(demo.output())).to.include(withoutPorts(command))
  })

  it('shows no line to try that is none', () => {
    const shown = demo.output().match(/^ *curl .*$/gm) ?? []
    expect(shown).to.have.length(curls.length)
  })
})

describe('examples/full-routes.yaml', () => {
  const text = readFileSync(join(EXAMPLES, 'full-routes.yaml'), 'utf8')

  it('is a good file, beside the PEM files that it names', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ramjet-example-'))
    const pair = makeCertificate(['full.example'])
    for (const name of ['shop', 'default', 'client', 'ca']) {
      writeFileSync(join(folder, `${name}.pem`), pair.cert)
      writeFileSync(join(folder, `${name}-key.pem`), pair.key)
    }
    copyFileSync(join(EXAMPLES, 'full-routes.yaml'), join(folder, 'full-routes.yaml'))
    const read = await readRouteFile(join(folder, 'full-routes.yaml'))
    rmSync(folder, { recursive: true })
    expect(read.ok ? [] : read.error).to.deep.equal([])
  })

  for (const [of, names] of Object.entries(ROUTE_FILE_FIELDS)) {
    for (const name of names) {
      it(`shows ${name} of ${of}`, () => expect(text).to.match(new RegExp(`(^|[{ ])${name}:`, 'm')))
    }
  }

  it('shows every policy and path type', () => {
    const pair = makeCertificate(['full.example'])
    const read = parseRouteFile(
      'full-routes.yaml',
      text,
      pemFiles({ shop: pair, default: pair, client: pair, ca: pair }),
    )
    const file = read.ok ? read.value.file : undefined
    const policies = file?.backends.map(({ policy }) => (typeof policy === 'string' ? policy : policy.kind))
    expect(new Set(policies)).to.have.keys('roundRobin', 'leastConn', 'random', 'ewma', 'hash')
    expect(new Set(file?.routes.map(({ pathType }) => pathType))).to.have.lengthOf(3)
  })
})
