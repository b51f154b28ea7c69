// Specs of ClassParameters that are given to our own validators and to the API server alike (R50-16).

export interface SpecSample {
  readonly title: string
  readonly spec: Readonly<Record<string, unknown>>
  /** The field that is told; `undefined`: the spec is good. */
  readonly wrong?: string
}

const text = (length: number, of = 'a'): string => of.repeat(length)

/** `check` makes a spec of one member of healthCheck. */
const check = (name: string, value: unknown): SpecSample['spec'] => ({ healthCheck: { [name]: value } })
const on = (...causes: readonly unknown[]): SpecSample['spec'] => ({ retry: { attempts: 1, on: causes } })

const GOOD: readonly SpecSample[] = [
  { title: 'nothing', spec: {} },
  {
    title: 'every field',
    spec: {
      defaultBackend: 'shop/web:http',
      timeout: '1.5s',
      retry: { attempts: 10, on: ['connect', 500, 599], backoff: '60s' },
      routingMode: 'service',
      healthMode: 'probe',
      healthCheck: {
        path: '/ready?x=1',
        host: 'probe.example:8080',
        headers: { 'X-Probe': 'a b', Accept: '' },
        interval: '100ms',
        timeout: '1ms',
        healthy: 100,
        unhealthy: 1,
        status: '200-299,404',
      },
      loadBalancing: 'hash',
      loadBalancingKey: 'header:X-User',
    },
  },
  { title: 'the highest port', spec: { defaultBackend: 'shop/web:65535' } },
  { title: 'a port whose name has digits', spec: { defaultBackend: 'shop/web:1st' } },
  { title: 'the longest timeout', spec: { timeout: '576h' } },
  { title: 'no retries', spec: { retry: { attempts: 0 } } },
  { title: 'no cause', spec: on() },
  { title: 'a check with nothing in it', spec: { healthCheck: {} } },
  { title: 'no headers', spec: check('headers', {}) },
  {
    title: 'sixteen headers',
    spec: check('headers', Object.fromEntries('abcdefghijklmnop'.split('').map((name) => [name, '1']))),
  },
  { title: 'a header named like a member of every object', spec: check('headers', { constructor: 'a' }) },
  { title: 'a name of a header at its bound', spec: check('headers', { [text(128)]: 'a' }) },
  ...['roundRobin', 'round_robin', 'rr', 'leastConn', 'lc', 'random', 'p2c', 'ewma', 'lt', 'hash', 'hrw'].map(
    (name) => ({ title: `the policy ${name}`, spec: { loadBalancing: name } }),
  ),
  ...['client_ip', 'host', 'header:A', 'cookie:a_b', 'query:q'].map((key) => ({
    title: `the key ${key}`,
    spec: { loadBalancingKey: key },
  })),
]

const BAD: readonly SpecSample[] = [
  ...['', 'web:80', 'shop/web', 'shop/web:0', 'shop/web:65536', 'shop/web:000080', 'Shop/web:80', 'shop/web:80\n'].map(
    (value) => ({
      title: `the default backend ${JSON.stringify(value)}`,
      spec: { defaultBackend: value },
      wrong: 'spec.defaultBackend',
    }),
  ),
  ...['', '5', 's', '0s', '577h', '-1s', '1 s', '1d', '1e3s', '0.5ms', '1.0005s', '99999999h'].map((value) => ({
    title: `the timeout ${JSON.stringify(value)}`,
    spec: { timeout: value },
    wrong: 'spec.timeout',
  })),
  { title: 'a timeout that is a number', spec: { timeout: 5 }, wrong: 'spec.timeout' },
  { title: 'retries without a number', spec: { retry: {} }, wrong: 'spec.retry.attempts' },
  { title: 'more retries than there may be', spec: { retry: { attempts: 11 } }, wrong: 'spec.retry.attempts' },
  { title: 'fewer retries than none', spec: { retry: { attempts: -1 } }, wrong: 'spec.retry.attempts' },
  { title: 'half a retry', spec: { retry: { attempts: 0.5 } }, wrong: 'spec.retry.attempts' },
  { title: 'retries that are no map', spec: { retry: 3 }, wrong: 'spec.retry' },
  { title: 'a status that is none to try again', spec: on('connect', 404), wrong: 'spec.retry.on[1]' },
  { title: 'a status above the range', spec: on(600), wrong: 'spec.retry.on[0]' },
  { title: 'a status as a text', spec: on('503'), wrong: 'spec.retry.on[0]' },
  { title: 'another cause', spec: on('timeout'), wrong: 'spec.retry.on[0]' },
  { title: 'too many causes', spec: on(...Array.from({ length: 21 }, () => 503)), wrong: 'spec.retry.on' },
  { title: 'causes that are no list', spec: { retry: { attempts: 1, on: 'connect' } }, wrong: 'spec.retry.on' },
  { title: 'a long backoff', spec: { retry: { attempts: 1, backoff: '61s' } }, wrong: 'spec.retry.backoff' },
  { title: 'another routing', spec: { routingMode: 'pod' }, wrong: 'spec.routingMode' },
  { title: 'another health', spec: { healthMode: 'none' }, wrong: 'spec.healthMode' },
  { title: 'a policy that does not exist', spec: { loadBalancing: 'sticky' }, wrong: 'spec.loadBalancing' },
  ...['', 'ip', 'header:', 'header:a b', `cookie:${text(122)}`].map((value) => ({
    title: `the key ${JSON.stringify(value.slice(0, 20))} of ${value.length} characters`,
    spec: { loadBalancingKey: value },
    wrong: 'spec.loadBalancingKey',
  })),
  ...(
    [
      ['path', ['', 'ready', '/a b', '/a#b', '/ä', `/${text(1024)}`, 5]],
      ['host', ['', '-a', 'a b', 'a:port', text(260)]],
      ['interval', ['99ms', '577h', 'often']],
      ['timeout', ['0ms', '577h']],
      ['healthy', [0, 101, '1']],
      ['unhealthy', [0, 101]],
      ['status', ['', '99', '600', '399-200', '200-', '200, 300', '200,'.repeat(40)]],
    ] as const
  ).flatMap(([name, values]) =>
    values.map((value) => ({
      title: `the ${name} ${JSON.stringify(value).slice(0, 20)} of a check`,
      spec: check(name, value),
      wrong: `spec.healthCheck.${name}`,
    })),
  ),
  ...(
    [
      ['a name with a blank', { 'a b': '1' }],
      ['an empty name', { '': '1' }],
      ['a long name', { [text(129)]: '1' }],
      ['Host', { Host: 'a.example' }],
      ['a field of the connection', { 'transfer-Encoding': 'chunked' }],
      ['one field twice', { 'X-A': '1', 'x-a': '2' }],
      ['a value that ends its line', { 'X-A': '1\r\nX-B: 2' }],
      ['a value with a blank at its end', { 'X-A': 'a ' }],
      ['a long value', { 'X-A': text(4097) }],
      ['a value that is no text', { 'X-A': 1 }],
      ['more than sixteen', Object.fromEntries('abcdefghijklmnopq'.split('').map((name) => [name, '1']))],
    ] as const
  ).map(([title, headers]) => ({
    title: `headers of a check with ${title}`,
    spec: check('headers', headers),
    wrong: 'spec.healthCheck.headers',
  })),
]

export const SPEC_SAMPLES: readonly SpecSample[] = [...GOOD, ...BAD]
