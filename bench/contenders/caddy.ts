import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Contender, Place } from './contender.ts'
import { programPath, versionOf } from './installed.ts'

/** Caddy of this year with one Go processor. */
export const CADDY: Contender = {
  name: 'caddy',
  version: () => versionOf(programPath('caddy'), ['version'], /v\d+\.\d+\.\d+/),
  command: (place) => {
    const file = join(place.folder, 'Caddyfile')
    writeFileSync(file, configuration(place))
    const env = { GOMAXPROCS: '1', HOME: place.folder, XDG_DATA_HOME: place.folder, XDG_CONFIG_HOME: place.folder }
    return { program: programPath('caddy'), args: ['run', '--config', file, '--adapter', 'caddyfile'], env }
  },
}

function configuration({ upstream, port }: Place): string {
  return `{
  admin off
  auto_https off
  persist_config off
}
http://:${port} {
  bind 127.0.0.1
  reverse_proxy ${upstream} {
    header_up X-Real-IP {remote_host}
    header_up X-Request-Id {http.request.uuid}
    header_up X-Forwarded-Port ${port}
    header_up X-Forwarded-Scheme http
    header_up X-Scheme http
    transport http {
      keepalive 3600s
      keepalive_idle_conns 256
      keepalive_idle_conns_per_host 256
    }
  }
}
`
}
