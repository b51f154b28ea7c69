import { expect } from 'chai'
import { chooseTransport, type TransportSources } from '../../../src/dataplane/transport/choose.ts'
import { createPublicTransport } from '../../../src/dataplane/transport/public.ts'
import type { Transport, TransportFault, TransportName } from '../../../src/dataplane/transport/transport.ts'
import { err, ok } from '../../../src/lib/result.ts'

const FAULT: TransportFault = { errno: 'ENOSYS', message: 'this Node has other internals' }

const named = (name: TransportName): Transport => Object.assign(createPublicTransport(), { name })

/** Sources in which what is named `broken` fails: to be created or in its test. */
function sourcesWhere(broken: { readonly create?: TransportName; readonly test?: TransportName }): TransportSources {
  return {
    create: (name) => (name === broken.create ? err(FAULT) : ok(named(name))),
    test: (transport) => Promise.resolve(transport.name === broken.test ? err(FAULT) : ok(undefined)),
  }
}

describe('chooseTransport', () => {
  it('takes handle for auto on this machine, by its real self-test (R20-8)', async () => {
    const { transport, fallback } = await chooseTransport('auto')
    expect({ name: transport.name, fallback }).to.deep.equal({ name: 'handle', fallback: undefined })
  })

  for (const requested of ['public', 'handle'] as const) {
    it(`takes ${requested} where it is asked for and works`, async () => {
      const { transport, fallback } = await chooseTransport(requested, sourcesWhere({}))
      expect({ name: transport.name, fallback }).to.deep.equal({ name: requested, fallback: undefined })
    })
  }

  for (const requested of ['auto', 'handle'] as const) {
    for (const stage of ['create', 'test'] as const) {
      it(`falls back to public from ${requested} when handle fails to ${stage}, and says why (R20-9)`, async () => {
        const { transport, fallback } = await chooseTransport(requested, sourcesWhere({ [stage]: 'handle' }))
        expect(transport.name).to.equal('public')
        expect(fallback).to.deep.equal({ requested, serving: 'public', ...FAULT })
      })
    }
  }

  it('serves by public even where its own test fails: there is nothing after it', async () => {
    const { transport, fallback } = await chooseTransport('public', sourcesWhere({ test: 'public' }))
    expect(transport.name).to.equal('public')
    expect(fallback).to.deep.equal({ requested: 'public', serving: 'public', ...FAULT })
  })
})
