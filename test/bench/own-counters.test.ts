import { createServer, type Server } from 'node:http'
import { expect } from 'chai'
import type { Running } from '../../bench/contenders/contender.ts'
import { ProcessTree } from '../../bench/contenders/process-tree.ts'
import { countsOf, expectBalance } from '../../bench/load/own-counters.ts'
import { listening } from '../fakes/listening.ts'
import { rejection } from '../fakes/rejection.ts'

describe('what a contender counted (R60-10)', () => {
  let server: Server
  let contender: Running
  let requests = 0
  let looks = 0

  beforeEach(async () => {
    requests = 7
    looks = 0
    server = createServer((_request, response) => {
      looks += 1
      // Connections that have just been closed are counted for a moment more.
      const connections = looks < 4 ? 1 : 0
      response.end(`ramjet_requests_total ${requests}\nramjet_active_connections ${connections}\n`)
    })
    const adminPort = await listening(server)
    const place = { folder: '', upstream: '', port: 0, adminPort }
    const tree = new ProcessTree(process.pid)
    contender = { name: 'wire', place, countsItself: true, tree, stop: () => Promise.resolve() }
  })

  afterEach(() => {
    server.closeAllConnections()
    server.close()
  })

  const cases = [
    { title: 'all that was answered', counted: 100, isGood: true },
    { title: 'some more that were cut off', counted: 164, isGood: true },
    { title: 'fewer than were answered', counted: 99, isGood: false },
    { title: 'more than can have been cut off', counted: 165, isGood: false },
  ]
  for (const { title, counted, isGood } of cases) {
    it(`${isGood ? 'balances' : 'does not balance'} where it is ${title}`, async () => {
      const [count] = await countsOf([contender])
      if (!count) throw new Error('the contender tells no count')
      requests += counted
      const balance = expectBalance(count, { requests: 100, cutAtMost: 64 })
      if (isGood) await balance
      else expect(String(await rejection(balance))).to.include(`wire counted ${counted} requests where 100`)
    })
  }

  it('is asked of those alone that tell it', async () => {
    expect(await countsOf([{ ...contender, countsItself: false }])).to.deep.equal([])
  })
})
