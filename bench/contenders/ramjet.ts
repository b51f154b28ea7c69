import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Contender, Place } from './contender.ts'
import { type Front, isSecure, PLAIN } from './front.ts'

/** Our own engines and transports, each as a program that serves a routes file with one worker. */
export function ramjet(engine: 'wire' | 'standard', transport?: 'public' | 'handle', more?: RamjetOptions): Contender {
  const root = more?.root ?? ROOT
  const front = more?.front ?? PLAIN
  return {
    name: more?.name ?? (transport === undefined ? engine : `${engine}/${transport}`),
    front,
    countsItself: true,
    version: () => `node ${process.versions.node}`,
    command: (place) => {
      const file = routesFile(place)
      writeFileSync(file, routesText(place.upstream, [], front))
      const flags = [
        `--static-routes=${file}`,
        ...(isSecure(front) ? [`--https=127.0.0.1:${place.port}`, '--no-http'] : [`--http=127.0.0.1:${place.port}`]),
        `--admin=127.0.0.1:${place.adminPort}`,
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
  /** Default: HTTP/1.1 in plaintext. */
  readonly front?: Front
}

/** The routes file of a contender that `ramjet` made. */
export function routesFile({ folder }: Place): string {
  return join(folder, 'routes.yaml')
}

/** One host and path that lead to the upstream, and `others` that lead elsewhere. */
export function routesText(upstream: string, others: readonly string[] = [], front: Front = PLAIN): string {
  const protocol = front.job === 'grpc' ? ', protocol: GRPC' : ''
  const backends = [`  - {name: origin, endpoints: ['${upstream}']${protocol}}`]
  const routes = ['  - {path: /, backend: origin}', ...others]
  const tls = front.pair ? `tls:\n  - {cert: '${front.pair.cert}', key: '${front.pair.key}'}\n` : ''
  return `backends:\n${backends.join('\n')}\nroutes:\n${routes.join('\n')}\n${tls}`
}

const ROOT = join(import.meta.dirname, '../..')
