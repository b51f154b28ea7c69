import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Contender, Place } from './contender.ts'
import { type Front, isSecure, PLAIN } from './front.ts'
import { programPath, versionOf } from './installed.ts'

/** Caddy of this year with one Go processor. */
export function caddy(front: Front): Contender {
  return {
    name: 'caddy',
    front,
    version: () => versionOf(programPath('caddy'), ['version'], /v\d+\.\d+\.\d+/),
    command: (place) => {
      const file = join(place.folder, 'Caddyfile')
      writeFileSync(file, configuration(place, front))
      const env = { GOMAXPROCS: '1', HOME: place.folder, XDG_DATA_HOME: place.folder, XDG_CONFIG_HOME: place.folder }
      return { program: programPath('caddy'), args: ['run', '--config', file, '--adapter', 'caddyfile'], env }
    },
  }
}

export const CADDY: Contender = caddy(PLAIN)

function configuration({ upstream, port }: Place, front: Front): string {
  const scheme = isSecure(front) ? 'https' : 'http'
  return `{
  admin off
  auto_https off
  persist_config off
  servers {
    protocols h1 h2 h2c
  }
}
${scheme}://:${port} {
  bind 127.0.0.1
  ${front.pair ? `tls ${front.pair.cert} ${front.pair.key}` : ''}
  reverse_proxy ${front.job === 'grpc' ? 'h2c://' : ''}${upstream} {
    header_up X-Real-IP {remote_host}
    header_up X-Request-Id {http.request.uuid}
    header_up X-Forwarded-Port ${port}
    header_up X-Forwarded-Scheme ${scheme}
    header_up X-Scheme ${scheme}
    transport http {
      ${front.job === 'grpc' ? 'versions h2c' : ''}
      keepalive 3600s
      keepalive_idle_conns 256
      keepalive_idle_conns_per_host 256
    }
  }
}
`
}
