// Which transport serves: the one that was asked for if it passes its self-test, else `public` (R20-8, R20-9).
import { err, type Result } from '../../lib/result.ts'
import { createHandleTransport } from './handle.ts'
import { createPublicTransport } from './public.ts'
import { testTransport } from './self-test.ts'
import type { Transport, TransportFault, TransportName } from './transport.ts'

/** What `--transport` may say. */
export type TransportWish = 'auto' | TransportName

export interface TransportChoice {
  readonly transport: Transport
  /** Why it is not the one that was asked for, or for `auto` not the fastest; `undefined`: it is. */
  readonly fallback: TransportFallback | undefined
}

/** What was asked for, what serves in its place, and why. */
export interface TransportFallback extends TransportFault {
  readonly requested: TransportWish
  readonly serving: TransportName
}

export interface TransportSources {
  readonly create: (name: TransportName) => Result<Transport, TransportFault>
  readonly test: (transport: Transport) => Promise<Result<void, TransportFault>>
}

const SOURCES: TransportSources = { create: createTransport, test: (transport) => testTransport(transport) }

/** The transport to serve by. Takes a moment, in which it is tested over loopback. */
export async function chooseTransport(
  requested: TransportWish,
  sources: TransportSources = SOURCES,
): Promise<TransportChoice> {
  const tested = await createTested(requested === 'auto' ? 'handle' : requested, sources)
  if (tested.ok) return { transport: tested.value, fallback: undefined }
  // It stands on what every Node has and is the last one there is, so nothing is asked of it.
  const transport = createPublicTransport()
  return { transport, fallback: { requested, serving: transport.name, ...tested.error } }
}

async function createTested(
  name: TransportName,
  sources: TransportSources,
): Promise<Result<Transport, TransportFault>> {
  const created = sources.create(name)
  if (!created.ok) return created
  const tested = await sources.test(created.value)
  return tested.ok ? created : err(tested.error)
}

function createTransport(name: TransportName): Result<Transport, TransportFault> {
  switch (name) {
    case 'public':
      return { ok: true, value: createPublicTransport() }
    case 'handle':
      return createHandleTransport()
  }
}
