import { expect } from 'chai'
import { createLogger, type LogLevel, type LogSettings } from '../../src/observability/log.ts'

interface Overrides {
  readonly format?: 'json' | 'pretty'
  readonly level?: LogLevel
  readonly targets?: Readonly<Record<string, LogLevel>>
}

function loggerWith({ format = 'json', level = 'info', targets = {} }: Overrides = {}) {
  const lines: string[] = []
  const settings: LogSettings = { format, level, targets: new Map(Object.entries(targets)) }
  const log = createLogger(settings, { write: (line) => void lines.push(line) })
  return { log, lines, records: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) }
}

describe('createLogger', () => {
  it('writes one JSON object a line with time, level, target, fields and message', () => {
    const { log, lines, records } = loggerWith()
    log.child('controllers').child('ingress').info({ namespace: 'shop', routes: 3 }, 'compiled')
    expect(lines).to.have.length(1)
    expect(lines[0]).to.match(/^\{[^\n]*\}\n$/)
    const [record] = records()
    expect(record?.['time']).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    delete record?.['time']
    expect(record).to.deep.equal({
      level: 'info',
      target: 'controllers.ingress',
      namespace: 'shop',
      routes: 3,
      message: 'compiled',
    })
  })

  it('keeps records below the level back', () => {
    const { log, records } = loggerWith({ level: 'warn' })
    log.debug({}, 'debug')
    log.info({}, 'info')
    log.warn({}, 'warn')
    log.error({}, 'error')
    expect(records().map(({ message }) => message)).to.deep.equal(['warn', 'error'])
  })

  it('takes the level of the nearest target (R32-21)', () => {
    const { log, records } = loggerWith({
      targets: { kube: 'error', controllers: 'debug', 'controllers.slow': 'warn' },
    })
    log.child('kube').warn({}, 'kube warn')
    log.child('controllers').child('ingress').debug({}, 'ingress debug')
    log.child('controllers').child('slow').info({}, 'slow info')
    log.child('controllersother').debug({}, 'other debug')
    log.debug({}, 'root debug')
    expect(records().map(({ message }) => message)).to.deep.equal(['ingress debug'])
  })

  for (const format of ['json', 'pretty'] as const) {
    it(`lets no control character through as ${format}`, () => {
      const { log, lines } = loggerWith({ format })
      log.info({ host: 'a\u0000\u001b[31m\n\r\u007f\u009b31m\u2028b' }, 'seen')
      const [line = ''] = lines
      expect(line.slice(0, -1)).not.to.match(/[\p{Cc}\u2028\u2029]/u)
      expect(line.endsWith('\n')).to.equal(true)
    })
  }

  it('writes a line for people as pretty', () => {
    const { log, lines } = loggerWith({ format: 'pretty' })
    log.child('proxy').warn({ endpoint: '192.0.2.1:80', durationMs: 0.1 + 0.2, reason: 'not today' }, 'connect failed')
    expect(lines[0]).to.match(
      /^\d\d:\d\d:\d\d\.\d{3} WARN {2}proxy: connect failed endpoint=192\.0\.2\.1:80 durationMs=0\.3 reason="not today"\n$/,
    )
  })

  it('writes an error with code, context and cause', () => {
    const { log, records } = loggerWith()
    const cause = new TypeError('deep')
    const error = Object.assign(new Error('shallow', { cause }), { code: 'RAMJET_X', context: { port: 1 } })
    log.error({ err: error }, 'failed')
    const err = records()[0]?.['err'] as Record<string, unknown>
    expect(err).to.include({ type: 'Error', message: 'shallow', code: 'RAMJET_X' })
    expect(err['context']).to.deep.equal({ port: 1 })
    expect(err['stack']).to.include('log.test.ts')
    expect(err['cause']).to.include({ type: 'TypeError', message: 'deep' })
  })
})

describe('redaction', () => {
  for (const name of [
    'authorization',
    'Authorization',
    'cookie',
    'Set-Cookie',
    'token',
    'access_token',
    'privateKey',
  ]) {
    it(`takes out the value of ${name}, also nested`, () => {
      const { log, lines, records } = loggerWith()
      log.info({ [name]: 'hunter2', headers: { [name]: ['hunter2'] } }, 'seen')
      expect(lines[0]).not.to.include('hunter2')
      expect(records()[0]?.[name]).to.equal('***')
    })
  }

  it('takes credentials and keys out of text, errors included', () => {
    const { log, lines } = loggerWith()
    const key = '-----BEGIN RSA PRIVATE KEY-----\nhunter2\n-----END RSA PRIVATE KEY-----'
    log.info({ url: 'GET x, Authorization: Bearer hunter2.a-b', err: new Error(`bad key ${key} given`) }, 'seen')
    expect(lines[0]).not.to.include('hunter2')
    expect(lines[0]).to.include('Bearer ***')
    expect(lines[0]).to.include('bad key *** given')
  })

  it('ends on a value that contains itself', () => {
    const { log, records } = loggerWith()
    const error = new Error('loop')
    error.cause = error
    log.info({ err: error }, 'seen')
    expect(records()[0]?.['message']).to.equal('seen')
  })
})
