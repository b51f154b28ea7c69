import { expect } from 'chai'
import * as fc from 'fast-check'
import { runSteps } from '../../src/lib/steps.ts'
import type { VirtualHost } from '../../src/model/route-table.ts'
import { buildAhead, buildRouter, type Router } from '../../src/router/router.ts'
import { requestView } from '../builders/request-view.ts'
import { prefix, routeTable, virtualHost } from '../builders/route-table.ts'

const NAMES = ['a.example', 'b.example', '*.example', '*.b.example', '*'] as const
const ASKED = ['a.example', 'b.example', 'x.example', 'x.b.example', 'other.invalid'] as const

/** Which edition of which host takes a request for `name`. */
function takenBy(router: Router, name: string): string | undefined {
  const decision = router.route(requestView(name, '/'))
  return decision.route?.id
}

function edition(name: string, number: number): VirtualHost {
  return virtualHost(name, [prefix('', { id: `${name} ${number}` })])
}

describe('a router that is built on another one', () => {
  // Mostly the names stay and what they lead to changes.
  const step: fc.Arbitrary<{
    readonly names: readonly string[]
    readonly editions: readonly number[]
    readonly isAhead: boolean
  }> = fc.record({
    names: fc.oneof(
      { weight: 3, arbitrary: fc.constant<readonly string[]>(NAMES) },
      { weight: 1, arbitrary: fc.shuffledSubarray<string>([...NAMES]) },
    ),
    editions: fc.array(fc.integer({ min: 0, max: 2 }), { minLength: NAMES.length, maxLength: NAMES.length }),
    isAhead: fc.boolean(),
  })

  it('decides as one that is built from nothing, whatever changed between them', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 2, maxLength: 6 }), (steps) => {
        const known = new Map<string, VirtualHost>()
        let router: Router | undefined
        for (const { names, editions, isAhead } of steps) {
          // The same edition is the same object, as in a worker.
          const hosts = names.map((name, at) => {
            const number = editions[at] ?? 0
            const host = known.get(`${name} ${number}`) ?? edition(name, number)
            known.set(`${name} ${number}`, host)
            return host
          })
          const table = routeTable(hosts)
          if (router && isAhead) runSteps(buildAhead(router, hosts))
          router = buildRouter(table, router)
          const fresh = buildRouter(table)
          for (const name of ASKED) expect(takenBy(router, name), name).to.equal(takenBy(fresh, name))
        }
      }),
    )
  })

  it('leaves the one before it as it was', () => {
    const before = buildRouter(routeTable([edition('a.example', 1)]))
    const after = buildRouter(routeTable([edition('a.example', 2)]), before)
    expect([takenBy(before, 'a.example'), takenBy(after, 'a.example')]).to.deep.equal(['a.example 1', 'a.example 2'])
  })
})
