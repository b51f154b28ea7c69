import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Contender, Place } from './contender.ts'
import { type Front, isSecure, PLAIN } from './front.ts'
import { programPath, versionOf } from './installed.ts'

/** It counts two descriptors for each, and does not start where the system allows a process fewer. */
export const MAX_CONNECTIONS = 9500

/** HAProxy as the package of the system has it, one thread. */
export function haproxy(front: Front): Contender {
  return {
    name: 'haproxy',
    front,
    version: () => versionOf(programPath('haproxy'), ['-v'], /HAProxy version \S+/),
    command: (place) => {
      const file = join(place.folder, 'haproxy.cfg')
      writeFileSync(file, configuration(place, front))
      return { program: programPath('haproxy'), args: ['-db', '-f', file] }
    },
  }
}

export const HAPROXY: Contender = haproxy(PLAIN)

function configuration({ upstream, port }: Place, front: Front): string {
  const scheme = isSecure(front) ? 'https' : 'http'
  const secure = front.pair ? ` ssl crt ${front.pair.both} alpn h2,http/1.1 ssl-min-ver TLSv1.2` : ''
  const plain = front.speaks === 'h2c' ? ' proto h2' : ''
  return `global
  nbthread 1
  maxconn ${MAX_CONNECTIONS}
defaults
  mode http
  timeout connect 5s
  timeout client 3600s
  timeout server 3600s
  timeout tunnel 3600s
  timeout http-keep-alive 3600s
  option http-keep-alive
  http-reuse always
frontend clients
  bind 127.0.0.1:${port} backlog 4096${secure}${plain}
  unique-id-format %[uuid()]
  unique-id-header X-Request-Id
  http-request set-header X-Real-IP %[src]
  http-request set-header X-Forwarded-For %[src]
  http-request set-header X-Forwarded-Host %[req.hdr(host)]
  http-request set-header X-Forwarded-Port ${port}
  http-request set-header X-Forwarded-Proto ${scheme}
  http-request set-header X-Forwarded-Scheme ${scheme}
  http-request set-header X-Scheme ${scheme}
  default_backend origin
backend origin
  server one ${upstream} pool-max-conn 256${front.job === 'grpc' ? ' proto h2' : ''}
`
}
