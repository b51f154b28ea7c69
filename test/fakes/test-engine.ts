// The smallest engine that shows what a worker does: it answers each request by itself with what it serves, and fails
// in the ways that a path asks for.
import type { Socket } from 'node:net'
import { workerData } from 'node:worker_threads'
import type { Engine, EngineDeps, EngineFactory, EngineLoad, ServedPair } from '../../src/dataplane/engine.ts'

/** What a worker says about itself. */
export interface WorkerAnswer {
  readonly worker: number
  readonly column: number
  readonly generation: number
  readonly endpointsVersion: number
  readonly endpoint: string | undefined
  readonly status: number
  readonly routeRows: number
  readonly endpointRows: number
  readonly resources: number
}

export const createTestEngine: EngineFactory = (deps) => new TestEngine(deps)

class TestEngine implements Engine {
  readonly #deps: EngineDeps
  readonly #sockets = new Map<Socket, { held: ServedPair | undefined }>()
  #isDraining = false

  constructor(deps: EngineDeps) {
    this.#deps = deps
  }

  accept(socket: Socket): void {
    this.#sockets.set(socket, { held: undefined })
    let text = ''
    socket.on('error', () => socket.destroy())
    socket.on('end', () => socket.end())
    socket.on('close', () => {
      this.#finish(socket)
      this.#sockets.delete(socket)
    })
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n')) {
        const head = text.slice(0, end)
        text = text.slice(end + 4)
        this.#serve(socket, head)
      }
    })
  }

  pairAssigned(): void {
    // Nothing is pooled here.
  }

  startDraining(): void {
    this.#isDraining = true
  }

  closeIdle(): void {
    for (const [socket, { held }] of this.#sockets) if (!held) socket.end()
  }

  recover(): void {}

  destroy(): void {
    for (const socket of this.#sockets.keys()) socket.destroy()
  }

  load(): EngineLoad {
    const requests = [...this.#sockets.values()].filter(({ held }) => held).length
    return { connections: this.#sockets.size, requests, tunnels: 0 }
  }

  #serve(socket: Socket, head: string): void {
    const path = head.split(' ')[1] ?? ''
    const host = /^host: *(.*)$/im.exec(head)?.[1] ?? ''
    const pair = this.#deps.current()
    switch (path) {
      case '/hold':
        this.#hold(socket, pair, host)
        break
      case '/finish':
        for (const [other, { held }] of this.#sockets) if (held) this.#answer(other, held, 'x')
        this.#answer(socket, pair, host)
        break
      case '/throw':
        setImmediate(() => {
          throw new Error('thrown by a request')
        })
        break
      default:
        if (!misbehave(path)) this.#answer(socket, pair, host)
    }
  }

  #hold(socket: Socket, pair: ServedPair, host: string): void {
    this.#deps.holds.hold(pair)
    this.#count(pair, host, 1)
    const state = this.#sockets.get(socket)
    if (state) state.held = pair
    socket.once('close', () => this.#count(pair, host, -1))
  }

  #count(pair: ServedPair, host: string, value: number): void {
    for (const { id } of pair.routes.hosts.get(host)?.routes ?? []) {
      const slot = pair.routeSlots.get(id)
      if (slot !== undefined) this.#deps.counters.add(slot, 'inFlight', value)
    }
  }

  #finish(socket: Socket): void {
    const state = this.#sockets.get(socket)
    if (!state?.held) return
    this.#deps.holds.release(state.held)
    state.held = undefined
  }

  #answer(socket: Socket, pair: ServedPair, host: string): void {
    const body = JSON.stringify(this.#describe(pair, host))
    const close = this.#isDraining ? 'Connection: close\r\n' : ''
    this.#finish(socket)
    socket.write(`HTTP/1.1 200 OK\r\n${close}Content-Length: ${body.length}\r\n\r\n${body}`)
  }

  #describe(pair: ServedPair, host: string): WorkerAnswer {
    const { counters } = this.#deps
    const name = Buffer.from(host)
    const bytes = Buffer.concat([name, Buffer.from('/')])
    const view = { bytes, hostStart: 0, hostEnd: name.length, pathStart: name.length, pathEnd: bytes.length }
    const decision = pair.router.route(view)
    counters.addProcess('requests', 1)
    let endpoint: string | undefined
    if (decision.kind === 'forward' && decision.route.action.kind === 'forward') {
      const { backends } = decision.route.action
      endpoint = pair.balancers.pick(backends[0]?.backend ?? '', 0.5, [], this.#deps.clock.monotonicMs())?.address
      counters.add(pair.routeSlots.get(decision.route.id) ?? Number.NaN, 'requests', 1)
      if (endpoint !== undefined) counters.add(pair.endpointSlots.get(endpoint) ?? Number.NaN, 'requests', 1)
    }
    return {
      worker: workerData.index,
      column: workerData.column,
      generation: pair.generation,
      endpointsVersion: pair.endpointsVersion,
      endpoint,
      status: decision.kind === 'forward' ? 200 : 404,
      routeRows: pair.routeSlots.size,
      endpointRows: pair.endpointSlots.size,
      resources: process.getActiveResourcesInfo().filter((kind) => !kind.startsWith('TCP') && kind !== 'Immediate')
        .length,
    }
  }
}

/** Fails as `path` says: `/spin`, `/exit`, `/heap`; `/block` goes on after half a second. False for all that go on. */
export function misbehave(path: string): boolean {
  const hoard: unknown[] = []
  if (path === '/exit') process.exit(3)
  if (path === '/block') for (const end = performance.now() + 500; performance.now() < end; ) hoard.length = 0
  if (path === '/spin') for (;;) hoard.length = 0
  if (path === '/heap') for (;;) hoard.push(Array.from({ length: 10_000 }, (_none, index) => ({ index })))
  return false
}
