// How a contender is changed while it serves: its file is written anew, and the process is told.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Contender, Running } from '../contenders/contender.ts'
import { NGINX, nginxText } from '../contenders/nginx.ts'
import { ramjet, routesFile, routesText } from '../contenders/ramjet.ts'

/** `spec`: another host comes or goes. `endpoint`: what the load is sent to moves to the other upstream. */
export type Arm = 'spec' | 'endpoint'

export interface Changing {
  readonly contender: Contender
  /** The change number `turn`; it is under way when this returns. */
  change(running: Running, arm: Arm, turn: number): void
}

/** Ours, then nginx where it is installed; `addresses` are those of the two upstreams. */
export function changingContenders(addresses: readonly [string, string]): readonly Changing[] {
  const own = (['handle', 'public'] as const).map((transport) => ({
    contender: ramjet('wire', transport),
    change: (running: Running, arm: Arm, turn: number) => changeRoutes(running, upstreamOf(addresses, arm, turn), turn),
  }))
  const nginx = {
    contender: NGINX,
    change: (running: Running, arm: Arm, turn: number) => reloadNginx(running, upstreamOf(addresses, arm, turn), turn),
  }
  return NGINX.version() === undefined ? own : [...own, nginx]
}

function upstreamOf(addresses: readonly [string, string], arm: Arm, turn: number): string {
  return addresses[arm === 'endpoint' && turn % 2 === 1 ? 1 : 0]
}

function changeRoutes({ place, tree }: Running, upstream: string, turn: number): void {
  const other = `  - {host: host-${turn}.example, path: /, backend: origin}`
  writeFileSync(routesFile(place), routesText(upstream, [other]))
  process.kill(tree.pid, 'SIGHUP')
}

function reloadNginx({ place, tree }: Running, upstream: string, turn: number): void {
  const others = `server { listen 127.0.0.1:${place.port}; server_name host-${turn}.example; }`
  const text = nginxText({ ...place, upstream }, { others })
  writeFileSync(join(place.folder, 'nginx.conf'), text)
  process.kill(tree.pid, 'SIGHUP')
}
