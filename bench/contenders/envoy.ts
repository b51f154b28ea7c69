import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Contender, Place } from './contender.ts'
import { programPath, versionOf } from './installed.ts'

/** Envoy of this year, one worker. */
export const ENVOY: Contender = {
  name: 'envoy',
  version: () => versionOf(programPath('envoy'), ['--version'], /\d+\.\d+\.\d+/),
  command: (place) => {
    const file = join(place.folder, 'envoy.json')
    writeFileSync(file, JSON.stringify(configuration(place)))
    const quiet = ['--log-level', 'error', '--disable-hot-restart']
    return { program: programPath('envoy'), args: ['-c', file, '--concurrency', '1', ...quiet] }
  },
}

const TYPE = 'type.googleapis.com/envoy.extensions'

function configuration({ upstream, port }: Place): unknown {
  const manager = {
    '@type': `${TYPE}.filters.network.http_connection_manager.v3.HttpConnectionManager`,
    stat_prefix: 'clients',
    use_remote_address: true,
    // By itself it writes the machine's own address for a peer on loopback.
    skip_xff_append: true,
    upgrade_configs: [{ upgrade_type: 'websocket' }],
    route_config: {
      virtual_hosts: [
        {
          name: 'all',
          domains: ['*'],
          routes: [{ match: { prefix: '/' }, route: { cluster: 'origin', timeout: '0s' } }],
          request_headers_to_add: [
            added('X-Real-IP', '%DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT%'),
            added('X-Forwarded-For', '%DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT%'),
            added('X-Forwarded-Host', '%REQ(:authority)%'),
            added('X-Forwarded-Port', String(port)),
            added('X-Forwarded-Scheme', 'http'),
            added('X-Scheme', 'http'),
          ],
        },
      ],
    },
    http_filters: [
      { name: 'envoy.filters.http.router', typed_config: { '@type': `${TYPE}.filters.http.router.v3.Router` } },
    ],
  }
  const filter = { name: 'envoy.filters.network.http_connection_manager', typed_config: manager }
  return {
    static_resources: {
      listeners: [{ name: 'clients', address: address(`127.0.0.1:${port}`), filter_chains: [{ filters: [filter] }] }],
      clusters: [
        {
          name: 'origin',
          type: 'STATIC',
          load_assignment: {
            cluster_name: 'origin',
            endpoints: [{ lb_endpoints: [{ endpoint: { address: address(upstream) } }] }],
          },
        },
      ],
    },
  }
}

function added(key: string, value: string): unknown {
  return { header: { key, value }, append_action: 'OVERWRITE_IF_EXISTS_OR_ADD' }
}

function address(text: string): unknown {
  const [host, port] = text.split(':')
  return { socket_address: { address: host, port_value: Number(port) } }
}
