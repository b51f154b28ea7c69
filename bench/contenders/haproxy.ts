import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Contender, Place } from './contender.ts'
import { programPath, versionOf } from './installed.ts'

/** It counts two descriptors for each, and does not start where the system allows a process fewer. */
export const MAX_CONNECTIONS = 9500

/** HAProxy as the package of the system has it, one thread. */
export const HAPROXY: Contender = {
  name: 'haproxy',
  version: () => versionOf(programPath('haproxy'), ['-v'], /HAProxy version \S+/),
  command: (place) => {
    const file = join(place.folder, 'haproxy.cfg')
    writeFileSync(file, configuration(place))
    return { program: programPath('haproxy'), args: ['-db', '-f', file] }
  },
}

function configuration({ upstream, port }: Place): string {
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
  bind 127.0.0.1:${port} backlog 4096
  unique-id-format %[uuid()]
  unique-id-header X-Request-Id
  http-request set-header X-Real-IP %[src]
  http-request set-header X-Forwarded-For %[src]
  http-request set-header X-Forwarded-Host %[req.hdr(host)]
  http-request set-header X-Forwarded-Port ${port}
  http-request set-header X-Forwarded-Proto http
  http-request set-header X-Forwarded-Scheme http
  http-request set-header X-Scheme http
  default_backend origin
backend origin
  server one ${upstream} pool-max-conn 256
`
}
