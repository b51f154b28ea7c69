// What libuv is given for each thing that may outlast its call, and calls back on: one function for all connections each.
import type { Internals, RequestWrap } from './internals.ts'

/** Who is told that a request is over; `status`: 0, or the system's error number, negative. */
export interface RequestOwner {
  connected(status: number): void
  wrote(status: number): void
  shutDown(): void
}

/** A write that may outlast its call. Has no owner as long as it has not. */
export interface WriteRequest extends RequestWrap {
  owner: RequestOwner | undefined
  /** Kept from the collector until the kernel has it. */
  bytes: Buffer | undefined
}

interface OwnedRequest extends RequestWrap {
  readonly owner: RequestOwner
}

export function createWriteRequest(internals: Internals): WriteRequest {
  return Object.assign(internals.createWrite(), { owner: undefined, bytes: undefined, oncomplete: onWrite })
}

export function createConnectRequest(internals: Internals, owner: RequestOwner): RequestWrap {
  return Object.assign(internals.createConnect(), { owner, oncomplete: onConnect })
}

export function createShutdownRequest(internals: Internals, owner: RequestOwner): RequestWrap {
  return Object.assign(internals.createShutdown(), { owner, oncomplete: onShutdown })
}

function onWrite(this: WriteRequest, status: number): void {
  this.bytes = undefined
  this.owner?.wrote(status)
}

function onConnect(this: OwnedRequest, status: number): void {
  this.owner.connected(status)
}

function onShutdown(this: OwnedRequest): void {
  this.owner.shutDown()
}
