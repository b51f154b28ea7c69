import { expect } from 'chai'
import { type LogBatch, LogRelay } from '../../src/dataplane/log-relay.ts'

function relay(): { relay: LogRelay; batches: LogBatch[] } {
  const batches: LogBatch[] = []
  return { relay: new LogRelay((batch) => batches.push(batch)), batches }
}

describe('LogRelay', () => {
  it('sends what has gathered in one batch, and nothing where nothing has', () => {
    const { relay: log, batches } = relay()
    log.flush()
    log.warn({ host: 'a.example' }, 'first')
    log.debug({}, 'second')
    log.flush()
    log.flush()
    expect(batches).to.deep.equal([
      {
        records: [
          { level: 'warn', fields: { host: 'a.example' }, message: 'first' },
          { level: 'debug', fields: {}, message: 'second' },
        ],
        dropped: 0,
      },
    ])
  })

  it('drops and counts what is too much for one batch (R70-5)', () => {
    const { relay: log, batches } = relay()
    for (let record = 0; record < 100; record += 1) log.info({ record }, 'again')
    log.flush()
    log.info({}, 'after')
    log.flush()
    expect(batches.map(({ records, dropped }) => [records.length, dropped])).to.deep.equal([
      [64, 36],
      [1, 0],
    ])
  })
})
