import type { ConnectionEvents } from './transport.ts'

/** Hears everything and does nothing: the events of a connection before it has an owner. */
export const NO_EVENTS: ConnectionEvents = {
  opened: () => undefined,
  received: () => undefined,
  ended: () => undefined,
  drained: () => undefined,
  closed: () => undefined,
}
