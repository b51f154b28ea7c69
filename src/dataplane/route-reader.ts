// Hands a request that was read into strings to the router as byte ranges (R20-3): they are written down once.
import type { Decision } from '../router/decision.ts'
import type { RequestView } from '../router/request-view.ts'
import type { HostRoutes, Router } from '../router/router.ts'

/** What a connection remembers of its last request: most ask for one host (R20-3). */
export interface HostMemory {
  router: Router | undefined
  host: string
  routes: HostRoutes | undefined
}

/** A memory of nothing. */
export function emptyHostMemory(): HostMemory {
  return { router: undefined, host: '', routes: undefined }
}

interface Scratch extends RequestView {
  bytes: Buffer
  pathEnd: number
}

/** One per engine: a decision is made in one step, so all requests share the buffer. */
export class RouteReader {
  readonly #view: Scratch = { bytes: Buffer.alloc(4096), hostStart: 0, hostEnd: 0, pathStart: 0, pathEnd: 0 }

  /** What `router` decides for a host in its one form and a canonical path. */
  decide(router: Router, host: string, path: string, memory: HostMemory): Decision {
    const routes = this.#routesOf(router, host, memory)
    this.#view.pathEnd = this.#write(path)
    return router.findRoute(routes, this.#view)
  }

  #routesOf(router: Router, host: string, memory: HostMemory): HostRoutes {
    if (memory.router === router && memory.host === host && memory.routes) return memory.routes
    const end = this.#write(host)
    const routes = router.findHost(this.#view.bytes, 0, end)
    memory.router = router
    memory.host = host
    memory.routes = routes
    return routes
  }

  #write(text: string): number {
    if (text.length > this.#view.bytes.length) this.#view.bytes = Buffer.alloc(text.length * 2)
    return this.#view.bytes.write(text, 0, 'latin1')
  }
}
