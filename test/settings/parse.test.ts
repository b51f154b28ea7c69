import { expect } from 'chai'
import { FLAGS, twinOf } from '../../src/settings/flags.ts'
import { readSettings } from '../../src/settings/parse.ts'
import type { Settings } from '../../src/settings/settings.ts'
import { LIMIT_VALUES } from './limit-values.ts'

type Env = Readonly<Record<string, string>>

function words(line: string): readonly string[] {
  return line === '' ? [] : line.split(' ')
}

function settingsOf(line: string, env: Env = {}): Settings {
  const result = readSettings(words(line), env, 4)
  if (!result.ok) throw new Error(result.error.join('\n'))
  if (result.value.kind !== 'run') throw new Error(result.value.kind)
  return result.value.settings
}

function faultsOf(line: string, env: Env = {}): readonly string[] {
  const result = readSettings(words(line), env, 4)
  return result.ok ? [] : result.error
}

function warningsOf(env: Env): readonly string[] {
  const result = readSettings([], env, 4)
  return result.ok && result.value.kind === 'run' ? result.value.warnings : ['refused']
}

describe('readSettings', () => {
  it('gives every default where nothing is given', () => {
    expect(settingsOf('')).to.deep.equal({
      staticRoutes: undefined,
      config: undefined,
      kubernetes: {
        ingressClass: 'ramjet',
        ingressClassGiven: false,
        controllerName: 'ramjet.dev/ingress',
        watchIngressWithoutClass: false,
        watchNamespaces: undefined,
        namespaceSelector: undefined,
        defaultBackend: undefined,
        allowExternalName: false,
        kubeconfig: undefined,
        context: undefined,
        kubeApiserver: undefined,
        serviceAccountDir: undefined,
        watchTimeoutMs: 300_000,
        resyncPeriodMs: 1_800_000,
      },
      writing: {
        readOnly: false,
        noStatusUpdate: false,
        publishService: undefined,
        publishAddresses: [],
        observedGeneration: 'auto',
        updateStatusOnShutdown: false,
        election: {
          durationMs: 15_000,
          renewMs: 10_000,
          retryMs: 2000,
          leaseName: undefined,
          leaseNamespace: undefined,
        },
      },
      certificates: {
        defaultTlsSecret: undefined,
        selfSignedDefault: false,
        ticketKeySecret: undefined,
        certificateGraceMs: 86_400_000,
      },
      dataPlane: {
        http: [{ host: undefined, port: 8080 }],
        https: [{ host: undefined, port: 8443 }],
        isHttpsGiven: false,
        tls: { minVersion: '1.2', handshakeTimeoutMs: 10_000 },
        http2: {
          maxStreams: 100,
          maxHeaders: 256,
          maxResets: 100,
          maxControlFrames: 1000,
          floodBytes: 262_144,
          maxAgeMs: 3_600_000,
        },
        workers: 4,
        engine: 'wire',
        transport: 'auto',
        isTransportStrict: false,
        proxyProtocol: undefined,
        engineSettings: {
          trustedProxies: [],
          underscoreHeaders: 'drop',
          encodedSlash: 'keep',
          publicHttpPort: undefined,
          publicHttpsPort: undefined,
          redirectPort: 8443,
          connectTimeoutMs: 5000,
          maxConnectAttempts: 3,
          connectionBufferBytes: 65_536,
          limits: {
            headerTimeoutMs: 10_000,
            bodyTimeoutMs: 60_000,
            minBodyRate: 16,
            sendTimeoutMs: 60_000,
            keepAliveTimeoutMs: 75_000,
            keepAliveRequests: 10_000,
            maxTargetBytes: 16_384,
            maxHeaderBytes: 65_536,
            maxHeaders: 200,
            maxBodyBytes: 0,
            tunnelIdleTimeoutMs: 3_600_000,
            responseTimeoutMs: 60_000,
            maxResponseHeaderBytes: 32_768,
            maxResponseHeaders: 1000,
            retryBufferBytes: 65_536,
            upstreamPoolIdle: 128,
            upstreamIdleTimeoutMs: 60_000,
            upstreamH2Sessions: 8,
            failTimeoutMs: 10_000,
          },
        },
        maxConnections: undefined,
        bufferBudgetBytes: undefined,
      },
      shutdownDelayMs: 10_000,
      shutdownGraceMs: 30_000,
      debounceMinMs: 10,
      debounceMs: 200,
      historySize: 10,
      auditWebhook: undefined,
      log: { level: 'info', targets: new Map(), format: 'json' },
      admin: { host: undefined, port: 10_254 },
      adminProtect: 'writes',
      adminTokenFile: undefined,
      adminService: undefined,
    })
  })

  it('takes run for no verb', () => {
    expect(settingsOf('run')).to.deep.equal(settingsOf(''))
  })

  it('bounds the default of workers', () => {
    for (const [cpus, want] of [
      [0, 1],
      [512, 256],
    ] as const) {
      const result = readSettings([], {}, cpus)
      expect(result.ok && result.value.kind === 'run' && result.value.settings.dataPlane.workers).to.equal(want)
    }
  })
})

interface ValueCase {
  readonly flag: string
  readonly given: string
  /** What it needs beside it. */
  readonly beside?: string
  readonly read: (settings: Settings) => unknown
  readonly want: unknown
}

const VALUES: readonly ValueCase[] = [
  { flag: '--config', given: '/etc/ramjet', read: (s) => s.config, want: '/etc/ramjet' },
  { flag: '--static-routes', given: 'routes.yaml', read: (s) => s.staticRoutes, want: 'routes.yaml' },
  { flag: '--engine', given: 'wire', read: (s) => s.dataPlane.engine, want: 'wire' },
  {
    flag: '--transport',
    given: 'handle',
    beside: '--engine wire',
    read: (s) => s.dataPlane.transport,
    want: 'handle',
  },
  {
    flag: '--transport-strict',
    given: 'yes',
    beside: '--engine wire --transport handle',
    read: (s) => s.dataPlane.isTransportStrict,
    want: true,
  },
  { flag: '--workers', given: '256', read: (s) => s.dataPlane.workers, want: 256 },
  { flag: '--kinds', given: 'ingress', read: (s) => s.kubernetes.ingressClass, want: 'ramjet' },
  { flag: '--ingress-class', given: 'edge', read: (s) => s.kubernetes.ingressClass, want: 'edge' },
  { flag: '--controller-name', given: 'a.example/b', read: (s) => s.kubernetes.controllerName, want: 'a.example/b' },
  {
    flag: '--watch-ingress-without-class',
    given: 'YES',
    read: (s) => s.kubernetes.watchIngressWithoutClass,
    want: true,
  },
  { flag: '--watch-namespace', given: 'a,b', read: (s) => s.kubernetes.watchNamespaces, want: ['a', 'b'] },
  {
    flag: '--default-backend',
    given: 'shop/web:http',
    read: (s) => s.kubernetes.defaultBackend,
    want: { namespace: 'shop', name: 'web', port: 'http' },
  },
  { flag: '--allow-external-name', given: 'true', read: (s) => s.kubernetes.allowExternalName, want: true },
  { flag: '--kubeconfig', given: '/etc/kc', read: (s) => s.kubernetes.kubeconfig, want: '/etc/kc' },
  { flag: '--context', given: 'test', read: (s) => s.kubernetes.context, want: 'test' },
  {
    flag: '--kube-apiserver',
    given: 'https://192.0.2.1:6443',
    read: (s) => s.kubernetes.kubeApiserver,
    want: 'https://192.0.2.1:6443',
  },
  { flag: '--service-account-dir', given: '/sa', read: (s) => s.kubernetes.serviceAccountDir, want: '/sa' },
  { flag: '--watch-timeout', given: '2m', read: (s) => s.kubernetes.watchTimeoutMs, want: 120_000 },
  { flag: '--resync-period', given: '0', read: (s) => s.kubernetes.resyncPeriodMs, want: 0 },
  {
    flag: '--publish-service',
    given: 'edge/balancer',
    read: (s) => s.writing.publishService,
    want: { namespace: 'edge', name: 'balancer' },
  },
  {
    flag: '--publish-address',
    given: '192.0.2.7,2001:db8::7,edge.example',
    read: (s) => s.writing.publishAddresses,
    want: ['192.0.2.7', '2001:db8::7', 'edge.example'],
  },
  { flag: '--observed-generation', given: 'changed', read: (s) => s.writing.observedGeneration, want: 'changed' },
  {
    flag: '--update-status-on-shutdown',
    given: 'true',
    read: (s) => s.writing.updateStatusOnShutdown,
    want: true,
  },
  { flag: '--read-only', given: 'yes', read: (s) => s.writing.readOnly, want: true },
  { flag: '--leader-elect', given: 'false', read: (s) => s.writing.election, want: undefined },
  { flag: '--leader-elect-duration', given: '20', read: (s) => s.writing.election?.durationMs, want: 20_000 },
  { flag: '--leader-elect-renew', given: '12s', read: (s) => s.writing.election?.renewMs, want: 12_000 },
  { flag: '--leader-elect-retry', given: '500ms', read: (s) => s.writing.election?.retryMs, want: 500 },
  {
    flag: '--leader-elect-lease-name',
    given: 'ramjet-edge',
    read: (s) => s.writing.election?.leaseName,
    want: 'ramjet-edge',
  },
  {
    flag: '--leader-elect-namespace',
    given: 'edge',
    read: (s) => s.writing.election?.leaseNamespace,
    want: 'edge',
  },
  {
    flag: '--http',
    given: '127.0.0.1:80,[::1]:81,localhost:82,83,:84',
    read: (s) => s.dataPlane.http,
    want: [
      { host: '127.0.0.1', port: 80 },
      { host: '::1', port: 81 },
      { host: '127.0.0.1', port: 82 },
      { host: undefined, port: 83 },
      { host: undefined, port: 84 },
    ],
  },
  { flag: '--public-http-port', given: '80', read: (s) => s.dataPlane.engineSettings.publicHttpPort, want: 80 },
  { flag: '--public-https-port', given: '443', read: (s) => s.dataPlane.engineSettings.publicHttpsPort, want: 443 },
  {
    flag: '--https',
    given: '127.0.0.1:0,:8444',
    read: (s) => [s.dataPlane.https, s.dataPlane.isHttpsGiven],
    want: [
      [
        { host: '127.0.0.1', port: 0 },
        { host: undefined, port: 8444 },
      ],
      true,
    ],
  },
  {
    flag: '--default-tls-secret',
    given: 'edge/wild.example',
    read: (s) => s.certificates.defaultTlsSecret,
    want: { namespace: 'edge', name: 'wild.example' },
  },
  { flag: '--self-signed-default', given: 'on', read: (s) => s.certificates.selfSignedDefault, want: true },
  {
    flag: '--ticket-key-secret',
    given: 'edge/tickets',
    read: (s) => s.certificates.ticketKeySecret,
    want: { namespace: 'edge', name: 'tickets' },
  },
  { flag: '--certificate-grace', given: '1h', read: (s) => s.certificates.certificateGraceMs, want: 3_600_000 },
  { flag: '--tls-min-version', given: '1.3', read: (s) => s.dataPlane.tls.minVersion, want: '1.3' },
  { flag: '--tls-handshake-timeout', given: '2s', read: (s) => s.dataPlane.tls.handshakeTimeoutMs, want: 2000 },
  { flag: '--h2-max-streams', given: '7', read: (s) => s.dataPlane.http2?.maxStreams, want: 7 },
  { flag: '--h2-max-headers', given: '8', read: (s) => s.dataPlane.http2?.maxHeaders, want: 8 },
  { flag: '--h2-max-resets', given: '9', read: (s) => s.dataPlane.http2?.maxResets, want: 9 },
  { flag: '--h2-max-control-frames', given: '10', read: (s) => s.dataPlane.http2?.maxControlFrames, want: 10 },
  { flag: '--h2-flood-bytes', given: '1k', read: (s) => s.dataPlane.http2?.floodBytes, want: 1024 },
  { flag: '--h2-max-age', given: '0', read: (s) => s.dataPlane.http2?.maxAgeMs, want: 0 },
  {
    flag: '--trusted-proxies',
    given: '192.0.2.0/24,2001:db8::/32',
    read: (s) => s.dataPlane.engineSettings.trustedProxies,
    want: ['192.0.2.0/24', '2001:db8::/32'],
  },
  {
    flag: '--proxy-protocol',
    given: 'on',
    read: (s) => s.dataPlane.proxyProtocol,
    want: { from: undefined, timeoutMs: 5000 },
  },
  {
    flag: '--proxy-protocol-from',
    given: '192.0.2.0/24,2001:db8::/32',
    beside: '--proxy-protocol --trusted-proxies 198.51.100.0/24',
    read: (s) => s.dataPlane.proxyProtocol?.from,
    want: ['192.0.2.0/24', '2001:db8::/32'],
  },
  {
    flag: '--proxy-protocol-timeout',
    given: '250ms',
    beside: '--proxy-protocol --trusted-proxies 198.51.100.0/24',
    read: (s) => s.dataPlane.proxyProtocol,
    want: { from: ['198.51.100.0/24'], timeoutMs: 250 },
  },
  {
    flag: '--underscore-headers',
    given: 'reject',
    read: (s) => s.dataPlane.engineSettings.underscoreHeaders,
    want: 'reject',
  },
  { flag: '--encoded-slash', given: 'reject', read: (s) => s.dataPlane.engineSettings.encodedSlash, want: 'reject' },
  {
    flag: '--connection-buffer',
    given: '1m',
    read: (s) => s.dataPlane.engineSettings.connectionBufferBytes,
    want: 1_048_576,
  },
  ...LIMIT_VALUES.map(([flag, given, name, want]) => ({
    flag,
    given,
    read: (s: Settings) => s.dataPlane.engineSettings.limits[name],
    want,
  })),
  { flag: '--buffer-budget', given: '64m', read: (s) => s.dataPlane.bufferBudgetBytes, want: 67_108_864 },
  { flag: '--max-connections', given: '500', read: (s) => s.dataPlane.maxConnections, want: 500 },
  { flag: '--shutdown-delay', given: '0', read: (s) => s.shutdownDelayMs, want: 0 },
  { flag: '--shutdown-grace', given: '2', read: (s) => s.shutdownGraceMs, want: 2000 },
  { flag: '--connect-timeout', given: '250ms', read: (s) => s.dataPlane.engineSettings.connectTimeoutMs, want: 250 },
  {
    flag: '--max-connect-attempts',
    given: '100',
    read: (s) => s.dataPlane.engineSettings.maxConnectAttempts,
    want: 100,
  },
  { flag: '--debounce-min', given: '1ms', read: (s) => s.debounceMinMs, want: 1 },
  { flag: '--debounce', given: '576h', read: (s) => s.debounceMs, want: 24 * 24 * 3_600_000 },
  {
    flag: '--log-level',
    given: 'warn,proxy=debug,kube.watch=error',
    read: (s) => ({ level: s.log.level, targets: [...s.log.targets] }),
    want: {
      level: 'warn',
      targets: [
        ['proxy', 'debug'],
        ['kube.watch', 'error'],
      ],
    },
  },
  {
    flag: '--namespace-selector',
    given: 'team=shop',
    read: (s) => s.kubernetes.namespaceSelector?.requirements.length,
    want: 1,
  },
  { flag: '--history-size', given: '0', read: (s) => s.historySize, want: 0 },
  {
    flag: '--audit-webhook',
    given: 'https://hooks.example/a',
    read: (s) => s.auditWebhook,
    want: 'https://hooks.example/a',
  },
  { flag: '--admin-protect', given: 'writes', read: (s) => s.adminProtect, want: 'writes' },
  { flag: '--admin-token-file', given: '/token', read: (s) => s.adminTokenFile, want: '/token' },
  {
    flag: '--admin-service',
    given: 'edge/admin',
    read: (s) => s.adminService,
    want: { namespace: 'edge', name: 'admin' },
  },
  { flag: '--log-format', given: 'pretty', read: (s) => s.log.format, want: 'pretty' },
  { flag: '--admin', given: '127.0.0.1:0', read: (s) => s.admin, want: { host: '127.0.0.1', port: 0 } },
]

describe('a value', () => {
  for (const { flag, given, beside = '', read, want } of VALUES) {
    const entry = FLAGS.find(({ name }) => name === flag)
    const twin = (entry && twinOf(entry)) ?? ''

    it(`${flag} ${given} is read behind a space, a = and in ${twin} (R33-1, R33-2)`, () => {
      expect(read(settingsOf(`${beside} ${flag} ${given}`.trim()))).to.deep.equal(want)
      expect(read(settingsOf(`${beside} ${flag}=${given}`.trim()))).to.deep.equal(want)
      expect(read(settingsOf(beside, { [twin]: given }))).to.deep.equal(want)
    })
  }

  it('has a case for every built flag that takes one', () => {
    const taking = FLAGS.filter(({ built, type }) => built && type.kind !== 'switch').map(({ name }) => name)
    expect(VALUES.map(({ flag }) => flag)).to.have.members(taking)
  })

  it('of a flag wins over its variable, whatever that holds (R33-2)', () => {
    expect(settingsOf('--workers 3', { RAMJET_WORKERS: 'many' }).dataPlane.workers).to.equal(3)
    expect(settingsOf('--watch-namespace a', { RAMJET_WATCH_NAMESPACE: 'b' }).kubernetes.watchNamespaces).to.deep.equal(
      ['a'],
    )
  })

  it('of an empty variable counts as absent (R33-2)', () => {
    expect(settingsOf('', { RAMJET_WORKERS: '', RAMJET_HTTP3: '' }).dataPlane.workers).to.equal(4)
  })

  it('of a repeated list adds up (R33-5)', () => {
    const { http } = settingsOf('--http :1 --http :2,:3').dataPlane
    expect(http.map(({ port }) => port)).to.deep.equal([1, 2, 3])
  })

  it('tells whether the class was given (R10-3)', () => {
    expect(settingsOf('--ingress-class ramjet').kubernetes.ingressClassGiven).to.equal(true)
    expect(settingsOf('', { RAMJET_INGRESS_CLASS: 'ramjet' }).kubernetes.ingressClassGiven).to.equal(true)
  })
})

function withoutClass(line: string): boolean {
  return settingsOf(line).kubernetes.watchIngressWithoutClass
}

describe('a boolean (R33-3)', () => {
  for (const word of ['true', '1', 'yes', 'on', 'True', 'ON']) {
    it(`is true by ${word}`, () => expect(withoutClass(`--watch-ingress-without-class ${word}`)).to.equal(true))
  }
  for (const word of ['false', '0', 'no', 'off', 'FALSE']) {
    it(`is false by ${word}`, () => expect(withoutClass(`--watch-ingress-without-class=${word}`)).to.equal(false))
  }

  it('is true alone, and leaves the next word to others', () => {
    expect(withoutClass('--watch-ingress-without-class')).to.equal(true)
    expect(withoutClass('--watch-ingress-without-class --workers 2')).to.equal(true)
    expect(withoutClass('--watch-ingress-without-class run')).to.equal(true)
  })

  it('refuses every other word and says which are allowed', () => {
    expect(faultsOf('--watch-ingress-without-class=maybe')).to.deep.equal([
      '--watch-ingress-without-class: "maybe" is not allowed: one of true, 1, yes, on, false, 0, no, off',
    ])
  })
})

describe('a switch (R33-4)', () => {
  it('takes no value', () => {
    expect(settingsOf('--no-admin').admin).to.equal(undefined)
    expect(faultsOf('--no-admin=true')).to.deep.equal(['--no-admin: takes no value'])
  })

  it('takes the listener or the protocol away', () => {
    expect(settingsOf('--no-http').dataPlane.http).to.deep.equal([])
    expect(settingsOf('--no-https').dataPlane.https).to.deep.equal([])
    expect(settingsOf('--no-h2').dataPlane.http2).to.equal(undefined)
  })

  it('has no variable', () => {
    expect(settingsOf('', { RAMJET_NO_ADMIN: 'true' }).admin).not.to.equal(undefined)
    expect(warningsOf({ RAMJET_NO_ADMIN: 'true' })).to.deep.equal(['RAMJET_NO_ADMIN: unknown variable'])
  })
})

const REFUSED: readonly { readonly line: string; readonly fault: RegExp; readonly env?: Env }[] = [
  { line: '--workers 0', fault: /^--workers: "0" is not allowed: integer, 1 to 256$/ },
  { line: '--workers 257', fault: /^--workers: "257"/ },
  { line: '--workers 1.5', fault: /^--workers: "1.5"/ },
  { line: '--workers -1', fault: /^--workers: "-1"/ },
  { line: '--workers=', fault: /^--workers: "" is not allowed/ },
  { line: '', env: { RAMJET_WORKERS: 'x' }, fault: /^RAMJET_WORKERS: "x" is not allowed: integer, 1 to 256$/ },
  { line: '--workers', fault: /^--workers: needs a value: integer, 1 to 256$/ },
  { line: '--workers --no-admin', fault: /^--workers: needs a value/ },
  { line: '--workers 1 --workers 2', fault: /^--workers: given twice$/ },
  { line: '--connect-timeout 0', fault: /^--connect-timeout: "0" is not allowed: .*more than 0$/ },
  { line: '--debounce 5', fault: /^--debounce: "5" is not allowed: duration such as/ },
  { line: '--debounce 577h', fault: /^--debounce: "577h" is not allowed: .*at most 24 days/ },
  { line: '--debounce 1d', fault: /^--debounce: "1d"/ },
  { line: '--connection-buffer 0', fault: /^--connection-buffer: "0" is not allowed: .*more than 0$/ },
  { line: '--connection-buffer 64kb', fault: /^--connection-buffer: "64kb"/ },
  { line: '--http example.com:80', fault: /^--http: "example.com:80" is not allowed: HOST:PORT/ },
  { line: '--http :65536', fault: /^--http: ":65536"/ },
  { line: '--http ::1:80', fault: /^--http: "::1:80"/ },
  { line: '--http [127.0.0.1]:80', fault: /^--http/ },
  { line: '--http 127.0.0.1', fault: /^--http/ },
  { line: '--http :1,', fault: /^--http: "" is not allowed/ },
  { line: '--public-http-port 0', fault: /^--public-http-port: "0"/ },
  { line: '--trusted-proxies 192.0.2.0/33', fault: /^--trusted-proxies: "192.0.2.0\/33" is not allowed: a CIDR/ },
  { line: '--default-backend shop/web', fault: /^--default-backend: "shop\/web" is not allowed: NAMESPACE\/NAME:PORT/ },
  { line: '--default-backend shop/web:0', fault: /^--default-backend/ },
  { line: '--controller-name ramjet', fault: /^--controller-name: "ramjet" is not allowed: DOMAIN\/PATH/ },
  { line: '--watch-namespace Shop', fault: /^--watch-namespace: "Shop"/ },
  { line: '--kube-apiserver ftp://a.example', fault: /^--kube-apiserver: / },
  { line: '--kube-apiserver https://user:pw@a.example', fault: /^--kube-apiserver: / },
  { line: '--log-level loud', fault: /^--log-level: "loud" is not allowed: error, warn, info, debug/ },
  { line: '--log-level proxy=', fault: /^--log-level: "proxy="/ },
  {
    line: '--underscore-headers maybe',
    fault: /^--underscore-headers: "maybe" is not allowed: drop or keep or reject$/,
  },
  { line: '--engine nginx', fault: /^--engine: "nginx" is not allowed: wire or standard$/ },
  { line: '--engine wire --transport tcp', fault: /^--transport: "tcp" is not allowed: auto or public or handle$/ },
  // R33-19: values and verbs that are not in this build.
  { line: '--engine wire --transport uring', fault: /^--transport uring: not in this build$/ },
  { line: '--engine wire', env: { RAMJET_TRANSPORT: 'epoll' }, fault: /^RAMJET_TRANSPORT epoll: not in this build$/ },
  { line: '--kinds ingress,gateway', fault: /^--kinds gateway: not in this build$/ },
  { line: 'top', fault: /^ramjet top: not in this build$/ },
  { line: 'lint', fault: /^ramjet lint: not in this build$/ },
  // R33-1: unknown words.
  { line: '--worker 2', fault: /^--worker: unknown flag; did you mean --workers\?$/ },
  { line: '--constructor', fault: /^--constructor: unknown flag; --help names those there are$/ },
  { line: '--__proto__=1', fault: /^--__proto__: unknown flag; --help names those there are$/ },
  { line: '-h', fault: /^-h: unknown flag; --help names those there are$/ },
  { line: '-- --workers=2', fault: /^--: unknown flag; --help names those there are$/ },
  { line: 'serve', fault: /^"serve": unexpected word/ },
  // R33-15: names of earlier programs.
  { line: '--worker-threads 4', fault: /^--worker-threads: use --workers 4$/ },
  { line: '--no-h2-dispatch', fault: /^--no-h2-dispatch: use --no-h2$/ },
  { line: '--max-buf-size 64k', fault: /^--max-buf-size: use --max-header-size 64k$/ },
  { line: '--engine hyper', fault: /^--engine hyper: use --engine standard$/ },
  { line: '--engine uring', fault: /^--engine uring: use --engine wire --transport uring$/ },
  {
    line: '--engine uring-strict',
    fault: /^--engine uring-strict: use --engine wire --transport uring --transport-strict$/,
  },
  // R33-14: refused combinations.
  {
    line: '--static-routes r.yaml --ingress-class edge',
    fault: /^--static-routes with --ingress-class: no cluster is asked in static mode; take one of them out$/,
  },
  { line: '--static-routes r.yaml --admin-service a/b', fault: /^--static-routes with --admin-service: / },
  {
    line: '--no-admin --admin-token-file t',
    fault: /^--admin-token-file with --no-admin: there is nothing to guard; /,
  },
  { line: '--no-admin --admin-protect writes', fault: /^--admin-protect with --no-admin: / },
  { line: '--no-admin', env: { RAMJET_ADMIN_SERVICE: 'a/b' }, fault: /^RAMJET_ADMIN_SERVICE with --no-admin: / },
  { line: '--admin-protect all', fault: /^--admin-protect all without --admin-token-file: / },
  {
    line: '--admin-service ramjet-admin',
    fault: /^--admin-service: "ramjet-admin" is not allowed: NAMESPACE\/NAME of a/,
  },
  {
    line: '--audit-webhook ftp://a.example',
    fault: /^--audit-webhook: "ftp:.*" is not allowed: an http or https URL$/,
  },
  { line: '--history-size -1', fault: /^--history-size: "-1" is not allowed: integer, at least 0$/ },
  { line: '--static-routes r.yaml --kinds ingress', fault: /^--static-routes with --kinds: / },
  {
    line: '--static-routes r.yaml',
    env: { RAMJET_KUBECONFIG: 'k' },
    fault: /^--static-routes with RAMJET_KUBECONFIG: /,
  },
  { line: '--static-routes r.yaml --base-routes b.yaml', fault: /^--base-routes: not in this build$/ },
  { line: '--http :80 --no-http', fault: /^--http with --no-http: they contradict each other; / },
  { line: '--https :443 --no-https', fault: /^--https with --no-https: they contradict each other; / },
  { line: '--no-http --no-https', fault: /^--no-http with --no-https: nothing would be served; / },
  { line: '--http :8443', fault: /^--http with --https: both are :8443; change one of them$/ },
  { line: '--https :10254', fault: /^--https with --admin: both are :10254; change one of them$/ },
  {
    line: '--static-routes r.yaml --default-tls-secret a/b',
    fault: /^--static-routes with --default-tls-secret: no cluster is asked in static mode; /,
  },
  { line: '--static-routes r.yaml --ticket-key-secret a/b', fault: /^--static-routes with --ticket-key-secret: / },
  { line: '--static-routes r.yaml --certificate-grace 1h', fault: /^--static-routes with --certificate-grace: / },
  {
    line: '--default-tls-secret cert',
    fault: /^--default-tls-secret: "cert" is not allowed: NAMESPACE\/NAME of a Secret$/,
  },
  { line: '--ticket-key-secret a/b/c', fault: /^--ticket-key-secret: "a\/b\/c" is not allowed: NAMESPACE\/NAME/ },
  { line: '--tls-min-version 1.1', fault: /^--tls-min-version: "1.1" is not allowed: 1.2 or 1.3$/ },
  {
    line: '--admin :1 --no-admin',
    fault: /^--admin with --no-admin: they contradict each other; take one of them out$/,
  },
  { line: '--http :1,:1', fault: /^--http with --http: both are :1; change one of them$/ },
  { line: '--http :10254', fault: /^--http with --admin: both are :10254; change one of them$/ },
  { line: '--http [::1]:5,[0:0:0:0:0:0:0:1]:5', fault: /^--http with --http: both are \[::1\]:5/ },
  {
    line: '--leader-elect-duration 8s',
    fault: /^--leader-elect-duration with --leader-elect-renew: 8000 ms is not above 10000 ms; /,
  },
  {
    line: '--leader-elect-retry 10s',
    fault: /^--leader-elect-renew with --leader-elect-retry: 10000 ms is not above 10000 ms; /,
  },
  { line: '--leader-elect-duration 15500ms', fault: /^--leader-elect-duration: 15500 ms are no whole seconds; / },
  { line: '--debounce-min 300ms', fault: /^--debounce-min with --debounce: 300 ms is above 200 ms; / },
  {
    line: '--engine standard --transport handle',
    fault: /^--transport with --engine standard: it has no transport; take --transport out or set --engine wire$/,
  },
  {
    line: '--engine standard',
    env: { RAMJET_TRANSPORT: 'public' },
    fault: /^RAMJET_TRANSPORT with --engine standard: /,
  },
  { line: '--engine standard --transport-strict', fault: /^--transport-strict with --engine standard: / },
  {
    line: '--engine wire --transport-strict',
    fault:
      /^--transport-strict without --transport: nothing was asked for; add --transport handle or take --transport-strict out$/,
  },
  { line: '--engine wire --transport auto --transport-strict', fault: /^--transport-strict without --transport: / },
  {
    line: '--proxy-protocol-from 192.0.2.0/24',
    fault:
      /^--proxy-protocol-from without --proxy-protocol: no header is read; add --proxy-protocol or take --proxy-protocol-from out$/,
  },
  { line: '--proxy-protocol-timeout 2s', fault: /^--proxy-protocol-timeout without --proxy-protocol: / },
  { line: '--proxy-protocol --proxy-protocol-from nobody', fault: /^--proxy-protocol-from: "nobody" is not allowed/ },
  { line: '--kubeconfig k --service-account-dir d', fault: /^--kubeconfig with --service-account-dir: / },
  { line: '--context c --service-account-dir d', fault: /^--context with --service-account-dir: / },
]

describe('a refusal', () => {
  for (const { line, env = {}, fault } of REFUSED) {
    it(`is one line for ${line || JSON.stringify(env)}`, () => {
      const faults = faultsOf(line, env)
      expect(faults).to.have.length(1)
      expect(faults[0]).to.match(fault)
    })
  }

  it('tells all faults at once (R33-7)', () => {
    expect(
      faultsOf('--workers 0 --http3 --debounce x --bogus', { RAMJET_CONNECT_TIMEOUT: '-', RAMJET_ACCESS_LOG: 'off' }),
    ).to.have.length(6)
  })

  it('lets listeners on port 0 stand beside each other', () => {
    expect(faultsOf('--http 127.0.0.1:0,127.0.0.1:0 --admin 127.0.0.1:0')).to.deep.equal([])
  })
})

describe('--help and --version (R33-8)', () => {
  for (const rest of ['', '--workers 0', '--http3', '--bogus', 'top', '--log-level', '--admin :1 --no-admin']) {
    it(`win over "${rest}"`, () => {
      expect(readSettings(words(`${rest} --help`.trim()), {}, 4)).to.deep.equal({ ok: true, value: { kind: 'help' } })
      expect(readSettings(words(`--version ${rest}`.trim()), {}, 4)).to.deep.equal({
        ok: true,
        value: { kind: 'version' },
      })
    })
  }
})

describe('a variable (R33-12)', () => {
  it('that is unknown is a warning', () => {
    expect(warningsOf({ RAMJET_WORKER: '2', PATH: '/bin', RUST_LOG: 'debug' })).to.deep.equal([
      'RAMJET_WORKER: unknown variable',
      'RUST_LOG: not read; use --log-level or RAMJET_LOG_LEVEL',
    ])
  })

  it('that Kubernetes sets for a Service is none', () => {
    const links = ['SERVICE_HOST', 'SERVICE_PORT', 'SERVICE_PORT_HTTP', 'PORT', 'PORT_80_TCP', 'PORT_80_TCP_ADDR']
    const env = Object.fromEntries(
      links.flatMap((link) => [
        [`RAMJET_${link}`, 'x'],
        [`RAMJET_ADMIN_${link}`, 'x'],
      ]),
    )
    expect(warningsOf({ ...env, RAMJET_TOP_TOKEN_FILE: 'x' })).to.deep.equal([])
  })
})
