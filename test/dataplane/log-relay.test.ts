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
        droppedDebug: 0,
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

  it('keeps what is told once, however much is told at debug meanwhile (R32-24)', () => {
    const { relay: log, batches } = relay()
    for (let record = 0; record < 100; record += 1) log.debug({ record }, 'again')
    log.warn({}, 'for the first time')
    log.flush()
    const [batch] = batches
    expect(batch?.records).to.have.length(65)
    expect(batch?.records.at(-1)).to.deep.equal({ level: 'warn', fields: {}, message: 'for the first time' })
    expect(batch).to.include({ dropped: 0, droppedDebug: 36 })
  })
})
