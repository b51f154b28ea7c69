import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Contender, Place } from './contender.ts'
import { programPath, versionOf } from './installed.ts'

/** Traefik of this year with one Go processor. It makes no request id by itself and is not asked for one. */
export const TRAEFIK: Contender = {
  name: 'traefik',
  lacks: ['x-request-id'],
  version: () => versionOf(programPath('traefik'), ['version'], /\d+\.\d+\.\d+/),
  command: (place) => {
    const file = join(place.folder, 'dynamic.yaml')
    writeFileSync(file, JSON.stringify(routes(place)))
    const args = [
      `--entryPoints.web.address=127.0.0.1:${place.port}`,
      `--providers.file.filename=${file}`,
      '--log.level=ERROR',
      '--global.checkNewVersion=false',
      '--global.sendAnonymousUsage=false',
      '--serversTransport.maxIdleConnsPerHost=256',
    ]
    return { program: programPath('traefik'), args, env: { GOMAXPROCS: '1' } }
  },
}

function routes({ upstream }: Place): unknown {
  return {
    http: {
      routers: { all: { rule: 'PathPrefix(`/`)', service: 'origin' } },
      services: { origin: { loadBalancer: { passHostHeader: true, servers: [{ url: `http://${upstream}` }] } } },
    },
  }
}
