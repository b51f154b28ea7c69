import { expect } from 'chai'
import { formatFileFault } from '../../src/manifests/file-fault.ts'
import { parseRouteFile } from '../../src/manifests/route-file.ts'

const GOOD = `
defaultBackend: fallback
backends:
  - name: web
    endpoints:
      - 127.0.0.1:9001
      - address: "[::1]:9002"
        weight: 2
  - {name: api, policy: lc, endpoints: [127.0.0.1:9003]}
  - name: fallback
    policy: random
    endpoints: []
routes:
  - host: shop.example
    path: /healthz
    pathType: Exact
    backend: web
  - path: /
    backend: api
`

function faultsOf(text: string): readonly string[] {
  const result = parseRouteFile('r.yaml', text)
  return result.ok ? [] : result.error.map((fault) => formatFileFault('r.yaml', fault))
}

function route(lines: string): string {
  return `backends:\n  - {name: web, endpoints: ["127.0.0.1:1"]}\nroutes:\n  - path: /\n${lines}`
}

function backend(lines: string): string {
  return `backends:\n  - name: web\n${lines}`
}

describe('parseRouteFile', () => {
  it('reads every field of this build', () => {
    const result = parseRouteFile('r.yaml', GOOD)
    expect(result.ok && result.value.file).to.deep.equal({
      name: 'r.yaml',
      defaultBackend: 'fallback',
      backends: [
        {
          name: 'web',
          policy: 'roundRobin',
          endpoints: [
            { host: '127.0.0.1', port: 9001, weight: 1 },
            { host: '::1', port: 9002, weight: 2 },
          ],
        },
        { name: 'api', policy: 'leastConn', endpoints: [{ host: '127.0.0.1', port: 9003, weight: 1 }] },
        { name: 'fallback', policy: 'random', endpoints: [] },
      ],
      routes: [
        { host: 'shop.example', path: '/healthz', pathType: 'Exact', backend: 'web' },
        { host: undefined, path: '/', pathType: 'Prefix', backend: 'api' },
      ],
    })
  })

  it('knows the line of every field, and of the field around what has none', () => {
    const result = parseRouteFile('r.yaml', GOOD)
    const lineOf = result.ok ? result.value.lineOf : () => 0
    const lines = ['defaultBackend', 'backends[0].endpoints[1].weight', 'routes[0].path', 'routes[1].host', 'routes[9]']
    expect(lines.map(lineOf)).to.deep.equal([2, 8, 15, 18, 14])
  })

  for (const [alias, policy] of [
    ['round_robin', 'roundRobin'],
    ['rr', 'roundRobin'],
    ['leastConn', 'leastConn'],
    ['p2c', 'random'],
    ['lt', 'ewma'],
  ] as const) {
    it(`reads policy ${alias} as ${policy} (R20-139)`, () => {
      const result = parseRouteFile('r.yaml', backend(`    policy: ${alias}\n    endpoints: []\n`))
      expect(result.ok && result.value.file.backends[0]?.policy).to.equal(policy)
    })
  }

  it('reads policy, slow start and health check of a backend', () => {
    const lines = '    policy: hash:$remote_addr\n    slowStart: 30s\n    healthCheck: {path: /ok?deep, status: 200}\n'
    const result = parseRouteFile('r.yaml', backend(`${lines}    endpoints: []\n`))
    expect(result.ok && result.value.file.backends[0]).to.deep.equal({
      name: 'web',
      policy: { kind: 'hash', key: [{ kind: 'remoteAddr' }] },
      slowStartMs: 30_000,
      healthCheck: {
        path: '/ok?deep',
        intervalMs: 5000,
        timeoutMs: 1000,
        healthy: 1,
        unhealthy: 3,
        statuses: [[200, 200]],
      },
      endpoints: [],
    })
  })

  it('takes an empty mapping for no routes', () => {
    expect(faultsOf('{}')).to.deep.equal([])
  })
})

const FAULTS: readonly { readonly text: string; readonly faults: readonly string[] }[] = [
  // YAML itself.
  { text: '', faults: ['r.yaml:1: is empty'] },
  { text: '# a comment\n', faults: ['r.yaml:1: is empty'] },
  { text: '---\n{}\n---\n{}\n', faults: ['r.yaml:1: has 2 documents; one is read'] },
  { text: 'backends:\n  - [\nroutes: 1\n', faults: ['r.yaml:3: no valid YAML: deficient indentation'] },
  { text: 'backends: []\nroutes: []\nbackends: []\n', faults: ['r.yaml:3: has "backends" twice, first on line 1'] },
  { text: 'backends: &a []\nroutes: *a\n', faults: ['r.yaml:2: has an alias; write the value out'] },
  { text: 'backends: []\nroutes: !!seq []\n', faults: ['r.yaml:2: has a tag; write the value without it'] },
  { text: '? [a]\n: 1\n', faults: ['r.yaml:1: has a key that is no text'] },
  { text: '- a\n', faults: ['r.yaml:1: must have the fields defaultBackend, backends, routes, tls'] },
  { text: 'backends: 1\n', faults: ['r.yaml:1: backends: must be a list'] },
  { text: 'backends:\n', faults: ['r.yaml:1: backends: must be a list'] },
  // R20-177: unknown fields; R20-187: what is not in this build.
  { text: 'backend: []\n', faults: ['r.yaml:1: backend: unknown field; did you mean backends?'] },
  { text: 'x: 1\n__proto__: 1\n', faults: ['r.yaml:1: x: unknown field', 'r.yaml:2: __proto__: unknown field'] },
  { text: 'caches: {}\n', faults: ['r.yaml:1: caches: not in this build'] },
  {
    text: backend('    endpoints: []\n    protocol: HTTP\n    tls: {}\n'),
    faults: ['r.yaml:5: backends[0].tls: needs protocol HTTPS or GRPCS'],
  },
  {
    text: route('    backend: web\n    canary:\n      backend: web\n    mirror: {}\n'),
    faults: ['r.yaml:6: routes[0].canary: not in this build', 'r.yaml:8: routes[0].mirror: not in this build'],
  },
  {
    text: route('    backend: web\n    Host: a.example\n'),
    faults: ['r.yaml:6: routes[0].Host: unknown field; did you mean host?'],
  },
  // Backends.
  {
    text: 'backends:\n  - web\n',
    faults: [
      'r.yaml:2: backends[0]: must have the fields name, policy, endpoints, slowStart, healthCheck, protocol, tls',
    ],
  },
  { text: 'backends:\n  - endpoints: []\n', faults: ['r.yaml:2: backends[0].name: is missing'] },
  { text: backend(''), faults: ['r.yaml:2: backends[0].endpoints: is missing'] },
  {
    text: 'backends:\n  - {name: "a/b", endpoints: []}\n',
    faults: ['r.yaml:2: backends[0].name: must be letters, digits, ".", "_" or "-"'],
  },
  {
    text: 'backends:\n  - {name: a, endpoints: []}\n  - {name: a, endpoints: []}\n',
    faults: ['r.yaml:3: backends[1].name: backends[0] has the name a already'],
  },
  {
    text: 'backends:\n  - {name: 1, endpoints: []}\n',
    faults: ['r.yaml:2: backends[0].name: must be a text; put 1 in quotes'],
  },
  {
    text: backend('    policy: fastest\n    endpoints: []\n'),
    faults: ['r.yaml:3: backends[0].policy: is none of roundRobin, leastConn, random, ewma, hash'],
  },
  {
    text: backend('    policy: "hash:$request_id"\n    endpoints: []\n'),
    faults: ['r.yaml:3: backends[0].policy: has "$request_id", which is no variable to hash by'],
  },
  {
    text: backend('    slowStart: 30\n    endpoints: []\n'),
    faults: ['r.yaml:3: backends[0].slowStart: must be a text; put 30 in quotes'],
  },
  {
    text: backend('    slowStart: soon\n    endpoints: []\n'),
    faults: ['r.yaml:3: backends[0].slowStart: must be a number with ms, s, m or h'],
  },
  {
    text: backend('    endpoints: []\n    healthCheck: /healthz\n'),
    faults: [
      'r.yaml:4: backends[0].healthCheck: must have the fields path, interval, timeout, healthy, unhealthy, status',
    ],
  },
  {
    text: backend('    endpoints: []\n    healthCheck:\n      path: healthz\n      interval: 1ms\n      healthy: 0\n'),
    faults: [
      'r.yaml:5: backends[0].healthCheck.path: must be a path that begins with /',
      'r.yaml:6: backends[0].healthCheck.interval: must be at least 100ms',
      'r.yaml:7: backends[0].healthCheck.healthy: must be a whole number from 1 to 100',
    ],
  },
  {
    text: backend('    endpoints: []\n    healthCheck: {status: 2xx, unhealthy: 101, retries: 1}\n'),
    faults: [
      'r.yaml:4: backends[0].healthCheck.retries: unknown field',
      'r.yaml:4: backends[0].healthCheck.unhealthy: must be a whole number from 1 to 100',
      'r.yaml:4: backends[0].healthCheck.status: must be statuses from 100 to 599 and ranges of them, such as 200,300-399',
    ],
  },
  // Endpoints.
  {
    text: backend('    endpoints:\n      - a.example:80\n'),
    faults: ['r.yaml:4: backends[0].endpoints[0]: must be IP:PORT or [IPV6]:PORT'],
  },
  {
    text: backend('    endpoints:\n      - 127.0.0.1\n'),
    faults: ['r.yaml:4: backends[0].endpoints[0]: must be IP:PORT or [IPV6]:PORT: 127.0.0.1 has no port'],
  },
  {
    text: backend('    endpoints:\n      - 127.0.0.1:0\n      - [1]\n'),
    faults: [
      'r.yaml:4: backends[0].endpoints[0]: must be IP:PORT or [IPV6]:PORT',
      'r.yaml:5: backends[0].endpoints[1]: must be IP:PORT or [IPV6]:PORT',
    ],
  },
  {
    text: backend('    endpoints:\n      - weight: 1\n'),
    faults: ['r.yaml:4: backends[0].endpoints[0].address: is missing'],
  },
  {
    text: backend('    endpoints:\n      - address: 127.0.0.1:1\n        weight: -1\n        port: 1\n'),
    faults: [
      'r.yaml:5: backends[0].endpoints[0].weight: must be a whole number from 0 to 1000000',
      'r.yaml:6: backends[0].endpoints[0].port: unknown field',
    ],
  },
  {
    text: backend('    endpoints: [{address: "127.0.0.1:1", weight: "2"}]\n'),
    faults: ['r.yaml:3: backends[0].endpoints[0].weight: must be a whole number from 0 to 1000000'],
  },
  {
    text: backend('    endpoints:\n      - 127.0.0.1:1\n      - 127.0.0.1:1\n'),
    faults: ['r.yaml:5: backends[0].endpoints[1]: is the same address as backends[0].endpoints[0]'],
  },
  // Routes.
  { text: route(''), faults: ['r.yaml:4: routes[0].backend: is missing'] },
  {
    text: 'routes:\n  - backend: web\n',
    faults: [
      'r.yaml:2: routes[0].path: is missing',
      'r.yaml:2: routes[0].backend: no backend of this file is named web',
    ],
  },
  {
    text: route('    backend: webb\n'),
    faults: ['r.yaml:5: routes[0].backend: no backend of this file is named webb; did you mean web?'],
  },
  {
    text: route('    backend: web\n    pathType: exact\n'),
    faults: ['r.yaml:6: routes[0].pathType: must be Exact, Prefix, ImplementationSpecific'],
  },
  { text: route('    backend: web\n    host: [a]\n'), faults: ['r.yaml:6: routes[0].host: must be a text'] },
  {
    text: route('    backend: web\n    host:\n'),
    faults: ['r.yaml:6: routes[0].host: must be a text; put it in quotes'],
  },
  {
    text: 'defaultBackend: x\nbackends: []\n',
    faults: ['r.yaml:1: defaultBackend: no backend of this file is named x'],
  },
]

describe('a fault of a routes file names line and field (R20-176)', () => {
  for (const { text, faults } of FAULTS) {
    it(JSON.stringify(text), () => expect(faultsOf(text)).to.deep.equal(faults))
  }

  it('and no cut of a good file throws', () => {
    for (let cut = 0; cut < GOOD.length; cut += 1) {
      const result = parseRouteFile('r.yaml', GOOD.slice(0, cut))
      if (!result.ok) expect(result.error).not.to.deep.equal([])
    }
  })
})
