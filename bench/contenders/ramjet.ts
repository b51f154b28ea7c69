import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Contender, Place } from './contender.ts'

/** Our own engines and transports, each as a program that serves a routes file with one worker. */
export function ramjet(engine: 'wire' | 'standard', transport?: 'public' | 'handle', more?: RamjetOptions): Contender {
  const root = more?.root ?? ROOT
  return {
    name: more?.name ?? (transport === undefined ? engine : `${engine}/${transport}`),
    version: () => `node ${process.versions.node}`,
    command: (place) => {
      const file = routesFile(place)
      writeFileSync(file, routesText(place.upstream))
      const flags = [
        `--static-routes=${file}`,
        `--http=127.0.0.1:${place.port}`,
        '--no-admin',
        '--workers=1',
        `--engine=${engine}`,
        ...(transport === undefined ? [] : [`--transport=${transport}`, '--transport-strict']),
        '--max-connections=16000',
        '--keepalive-requests=1000000000',
        '--keepalive-timeout=1h',
        '--upstream-pool-idle=256',
        '--upstream-idle-timeout=1h',
        '--shutdown-delay=0',
        '--shutdown-grace=1s',
        '--log-level=warn',
      ]
      return { program: process.execPath, args: [join(root, 'src/main.ts'), ...flags] }
    },
  }
}

export interface RamjetOptions {
  readonly name?: string
  /** The checkout to run; default: this one. */
  readonly root?: string
}

/** The routes file of a contender that `ramjet` made. */
export function routesFile({ folder }: Place): string {
  return join(folder, 'routes.yaml')
}

/** One host and path that lead to the upstream, and `others` that lead elsewhere. */
export function routesText(upstream: string, others: readonly string[] = []): string {
  const backends = [`  - {name: origin, endpoints: ['${upstream}']}`]
  const routes = ['  - {path: /, backend: origin}', ...others]
  return `backends:\n${backends.join('\n')}\nroutes:\n${routes.join('\n')}\n`
}

const ROOT = join(import.meta.dirname, '../..')
