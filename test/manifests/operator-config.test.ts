import { expect } from 'chai'
import { formatConfigFault } from '../../src/manifests/config-faults.ts'
import { parseOperatorConfig } from '../../src/manifests/operator-config.ts'

const VARIABLES: ReadonlyMap<string, string> = new Map([['PROBE_TOKEN', 's3cret']])

function parse(...texts: readonly string[]) {
  const files = texts.map((text, index) => ({ file: `${'abc'[index]}.yaml`, text }))
  return parseOperatorConfig(files, (name) => VARIABLES.get(name))
}

function read(...texts: readonly string[]) {
  const parsed = parse(...texts)
  if (!parsed.ok) throw new Error(parsed.error.map(formatConfigFault).join('\n'))
  return parsed.value
}

function faultsOf(...texts: readonly string[]): readonly string[] {
  const parsed = parse(...texts)
  return parsed.ok ? [] : parsed.error.map(formatConfigFault)
}

// Written out it would be a template to the eye of a linter.
const reference = (name: string): string => ['$', '{', name, '}'].join('')

const FULL = `healthcheck:
  path: /ready
  host: probe.example
  headers:
    X-Probe: ramjet
    Authorization: Bearer \${PROBE_TOKEN}
  interval: 2s
  timeout: 500ms
  healthy: 2
  unhealthy: 4
  status: 200-299,404
defaults:
  defaultBackend: shop/web:http
  timeout: 30s
  retry: { attempts: 3, on: [connect, 503], backoff: 50ms }
  routingMode: service
  healthMode: probe
  loadBalancing: hash
  loadBalancingKey: header:X-User
`

describe('parseOperatorConfig', () => {
  it('R42-19, R42-21: reads every field of both sections', () => {
    expect(read(FULL).defaults).to.deep.equal({
      healthCheck: {
        path: '/ready',
        host: 'probe.example',
        headers: [
          ['X-Probe', 'ramjet'],
          ['Authorization', 'Bearer s3cret'],
        ],
        intervalMs: 2000,
        timeoutMs: 500,
        healthy: 2,
        unhealthy: 4,
        statuses: [
          [200, 299],
          [404, 404],
        ],
      },
      defaultBackend: { namespace: 'shop', name: 'web', port: 'http' },
      responseTimeoutMs: 30_000,
      retry: { attempts: 3, on: ['connect', 503], backoffMs: 50 },
      routingMode: 'service',
      healthMode: 'probe',
      loadBalancing: 'hash',
      loadBalancingKey: 'header:X-User',
    })
  })

  it('R42-19: fills in what a check leaves out', () => {
    expect(read('healthcheck: {}').defaults.healthCheck).to.deep.equal({
      path: '/',
      intervalMs: 5000,
      timeoutMs: 1000,
      healthy: 1,
      unhealthy: 3,
      statuses: [[200, 399]],
    })
  })

  it('R20-148: a healthCheck of the defaults goes before the healthcheck', () => {
    const text = 'healthcheck: {path: /a, interval: 9s}\ndefaults: {healthCheck: {path: /b}}'
    expect(read(text).defaults.healthCheck).to.include({ path: '/b', intervalMs: 5000 })
  })

  for (const [title, texts] of [
    ['no file', []],
    ['an empty file', ['']],
    ['comments alone', ['# nothing\n\n  # yet\n']],
    ['sections with nothing in them', ['defaults:\nhealthcheck:\n']],
  ] as const) {
    it(`sets nothing by ${title}`, () => {
      expect(read(...texts).defaults).to.deep.equal({})
    })
  }

  it('R42-4: merges maps by key, writes fields over and replaces lists', () => {
    const { defaults, overwrites } = read(
      'defaults:\n  timeout: 1s\n  retry: {attempts: 1, on: [connect, 500]}\nhealthcheck: {headers: {A: "1", B: "2"}}',
      'defaults:\n  timeout: 2s\n  retry: {on: [503]}\nhealthcheck: {headers: {B: "3"}}',
    )
    expect(defaults).to.deep.include({
      responseTimeoutMs: 2000,
      retry: { attempts: 1, on: [503], backoffMs: 0 },
    })
    expect(defaults.healthCheck?.headers).to.deep.equal([
      ['A', '1'],
      ['B', '3'],
    ])
    expect(overwrites).to.deep.equal([
      { field: 'defaults.timeout', before: { file: 'a.yaml', line: 2 }, after: { file: 'b.yaml', line: 2 } },
      { field: 'defaults.retry.on', before: { file: 'a.yaml', line: 3 }, after: { file: 'b.yaml', line: 3 } },
      { field: 'healthcheck.headers.B', before: { file: 'a.yaml', line: 4 }, after: { file: 'b.yaml', line: 4 } },
    ])
  })

  it('R42-4: a section with nothing in it overwrites nothing', () => {
    expect(read('defaults: {timeout: 1s}', 'defaults:\n').defaults).to.deep.equal({ responseTimeoutMs: 1000 })
  })

  it('R42-13: says where each value in force comes from, and shows no secret', () => {
    const { values } = read(FULL, 'defaults: {timeout: 2s}')
    expect(values.find(({ field }) => field === 'defaults.timeout')).to.deep.equal({
      field: 'defaults.timeout',
      value: '2s',
      file: 'b.yaml',
      line: 1,
    })
    expect(values.find(({ field }) => field === 'healthcheck.headers.Authorization')?.value).to.equal('***')
    expect(JSON.stringify(values)).not.to.contain('s3cret').and.not.to.contain('Bearer')
  })

  it('R42-5: takes a reference for text in a field that bears no secret', () => {
    const path = `/${reference('PROBE_TOKEN')}`
    expect(read(`healthcheck: {path: "${path}"}`).defaults.healthCheck?.path).to.equal(path)
  })

  it('R42-5: an undefined variable makes the file invalid', () => {
    expect(faultsOf(`healthcheck:\n  headers:\n    A: "${reference('MISSING')}"\n`)).to.deep.equal([
      'a.yaml:3: healthcheck.headers.A: names the variable MISSING, which is not set',
    ])
  })

  for (const section of [
    'caches',
    'negativeCaches',
    'authenticators',
    'tracers',
    'rewriters',
    'limitStore',
    'listeners',
  ]) {
    it(`R42-6: refuses the section ${section} by name`, () => {
      expect(faultsOf(`# first\n${section}: {}`)).to.deep.equal([`a.yaml:2: ${section}: not in this build`])
    })
  }

  for (const field of ['dialect', 'cacheName', 'authenticatorName', 'cors', 'limits', 'backendProtocol', 'listeners']) {
    it(`R42-6: refuses the field ${field} of the defaults by name`, () => {
      expect(faultsOf(`defaults:\n  ${field}: x`)).to.deep.equal([`a.yaml:2: defaults.${field}: not in this build`])
    })
  }

  for (const { title, text, says } of [
    {
      title: 'an unknown section',
      text: 'default: {}',
      says: 'a.yaml:1: default: unknown field; did you mean defaults?',
    },
    {
      title: 'an unknown field',
      text: 'defaults:\n  timeOut: 1s',
      says: 'a.yaml:2: defaults.timeOut: unknown field; did you mean timeout?',
    },
    {
      title: 'an unknown field of a retry',
      text: 'defaults:\n  retry:\n    attempts: 1\n    tries: 2',
      says: 'a.yaml:4: defaults.retry.tries: unknown field',
    },
    {
      title: 'a duration without unit',
      text: 'defaults:\n  timeout: 5',
      says: 'a.yaml:2: defaults.timeout: must be a number with ms, s, m or h',
    },
    {
      title: 'a duration out of range',
      text: 'healthcheck:\n  interval: 10ms',
      says: 'a.yaml:2: healthcheck.interval: must be from 100ms to 576h',
    },
    {
      title: 'a map that is none',
      text: 'defaults:\n  retry: 3',
      says: 'a.yaml:2: defaults.retry: must be a map',
    },
    { title: 'a section that is no map', text: 'defaults: 3', says: 'a.yaml:1: defaults: must be a map' },
    { title: 'a file that is no map', text: '- 1', says: 'a.yaml:1: must have the sections defaults and healthcheck' },
    {
      title: 'a number where a text is wanted',
      text: 'healthcheck:\n  headers: {A: 5}',
      says: 'a.yaml:2: healthcheck.headers.A: must be a text; put it in quotes',
    },
    {
      title: 'a cause that is none',
      text: 'defaults:\n  retry:\n    attempts: 1\n    on:\n      - connect\n      - 404',
      says: 'a.yaml:5: defaults.retry.on[1]: must be connect or a status from 500 to 599',
    },
    {
      title: 'retries without a number',
      text: 'defaults:\n  retry: {on: [503]}',
      says: 'a.yaml:2: defaults.retry.attempts: is missing',
    },
    {
      title: 'a policy that does not exist',
      text: 'defaults: {loadBalancing: sticky}',
      says: 'defaults.loadBalancing: must be roundRobin',
    },
    {
      title: 'a field of the connection in a check',
      text: 'healthcheck: {headers: {Host: a.example}}',
      says: 'healthcheck.headers.Host: must not be host or a field of the connection',
    },
    {
      title: 'a field named twice in a check',
      text: 'healthcheck: {headers: {X-A: "1", x-a: "2"}}',
      says: 'healthcheck.headers.x-a: is named twice',
    },
    {
      title: 'a value that ends its line',
      text: 'healthcheck: {headers: {X-A: "1\\r\\nX-B: 2"}}',
      says: 'healthcheck.headers.X-A: must be visible ASCII',
    },
    { title: 'no YAML', text: 'defaults: {', says: 'a.yaml:1: no valid YAML' },
    { title: 'an alias', text: 'defaults: &a {}\nhealthcheck: *a', says: 'has an alias' },
    {
      title: 'a reversed range of statuses',
      text: 'healthcheck: {status: 399-200}',
      says: 'healthcheck.status: must be statuses from 100 to 599',
    },
    {
      title: 'a default backend without namespace',
      text: 'defaults: {defaultBackend: "web:80"}',
      says: 'defaults.defaultBackend: must be NAMESPACE/NAME:PORT',
    },
  ]) {
    it(`R42-6: refuses ${title}, naming file, line and field`, () => {
      const faults = faultsOf(text)
      expect(faults).to.have.lengthOf(1)
      expect(faults[0]).to.contain(says)
    })
  }

  it('R42-6: tells every fault of every file at once, each with its own file', () => {
    expect(faultsOf('caches: {}\n', 'defaults:\n  timeout: soon\n  limits: {}\n')).to.have.members([
      'a.yaml:1: caches: not in this build',
      'b.yaml:3: defaults.limits: not in this build',
      'b.yaml:2: defaults.timeout: must be a number with ms, s, m or h',
    ])
  })

  it('takes names of members of every object for what they are', () => {
    expect(faultsOf('constructor: {}\n__proto__: {}\n')).to.deep.equal([
      'a.yaml:1: constructor: unknown field',
      'a.yaml:2: __proto__: unknown field',
    ])
    expect(read('healthcheck: {headers: {constructor: a}}').defaults.healthCheck?.headers).to.deep.equal([
      ['constructor', 'a'],
    ])
  })

  it('R42-8: tells the first faults of a file that has thousands, and how many more there are', () => {
    const keys = Array.from({ length: 100_000 }, (_key, index) => `a${index}: 1`).join('\n')
    const faults = faultsOf(`${keys}\n`, 'healthcheck: { path: x }\n')
    expect(faults).to.have.length(21)
    expect(faults[19]).to.equal('a.yaml:20: a19: unknown field')
    expect(faults[20]).to.equal('a.yaml:21: and 99981 more from here on')
  })
})
