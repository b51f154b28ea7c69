import type { Service, ServicePort } from '../../src/api/core.ts'
import { metaOf } from './meta.ts'

/** A Service with ports like `80`, `http=80` or `dns=53/UDP`: name, number, protocol. */
export function service(name: string, ...ports: readonly string[]): Service {
  return { metadata: metaOf(name), spec: { clusterIP: '10.96.0.1', ports: ports.map(portOf) } }
}

/** The same Service with other fields of its spec. */
export function withSpec(base: Service, spec: Partial<NonNullable<Service['spec']>>): Service {
  return { ...base, spec: { ...base.spec, ...spec } }
}

function portOf(text: string): ServicePort {
  const [, name, port = '', protocol] = /^(?:(.+)=)?(\d+)(?:\/(.+))?$/.exec(text) ?? []
  return {
    ...(name === undefined ? {} : { name }),
    port: Number(port),
    ...(protocol === undefined ? {} : { protocol }),
  }
}
