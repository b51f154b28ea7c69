// The flags as they are specified, written down once more, so that the table of the program cannot drift unseen.
// One flag a line: name | variable | default | bare seconds, where they are taken. Defaults are those of this build: `--engine` and
// `--kinds` have fewer values than they will have.
const TEXT = `
# Mode and process
--static-routes | RAMJET_STATIC_ROUTES | none
--base-routes | RAMJET_BASE_ROUTES | none
--config | RAMJET_CONFIG | none
--engine | RAMJET_ENGINE | wire
--transport | RAMJET_TRANSPORT | auto
--transport-strict | RAMJET_TRANSPORT_STRICT | off
--workers | RAMJET_WORKERS | the CPUs this process may use
--nginx-compat | RAMJET_NGINX_COMPAT | off
--kinds | RAMJET_KINDS | ingress
--help | - | -
--version | - | -

# Kubernetes
--ingress-class | RAMJET_INGRESS_CLASS | ramjet
--controller-name | RAMJET_CONTROLLER_NAME | ramjet.dev/ingress
--gateway-controller-name | RAMJET_GATEWAY_CONTROLLER_NAME | ramjet.dev/gateway
--watch-ingress-without-class | RAMJET_WATCH_INGRESS_WITHOUT_CLASS | off
--watch-namespace | RAMJET_WATCH_NAMESPACE | all
--namespace-selector | RAMJET_NAMESPACE_SELECTOR | none
--default-backend | RAMJET_DEFAULT_BACKEND | none
--allow-external-name | RAMJET_ALLOW_EXTERNAL_NAME | off
--allow-snippets | RAMJET_ALLOW_SNIPPETS | off
--kubeconfig | RAMJET_KUBECONFIG | KUBECONFIG; in a pod the mounted account
--context | RAMJET_CONTEXT | that of the kubeconfig
--kube-apiserver | RAMJET_KUBE_APISERVER | from the pod or the kubeconfig
--service-account-dir | RAMJET_SERVICE_ACCOUNT_DIR | the usual mount
--watch-timeout | RAMJET_WATCH_TIMEOUT | 5m
--resync-period | RAMJET_RESYNC_PERIOD | 30m
--gateway-address-pool | RAMJET_GATEWAY_ADDRESS_POOL | none
--gateway-services | RAMJET_GATEWAY_SERVICES | none
--publish-service | RAMJET_PUBLISH_SERVICE | none
--publish-address | RAMJET_PUBLISH_ADDRESS | none
--observed-generation | RAMJET_OBSERVED_GENERATION | auto
--no-status-update | - | off
--update-status-on-shutdown | RAMJET_UPDATE_STATUS_ON_SHUTDOWN | off
--read-only | RAMJET_READ_ONLY | off
--leader-elect | RAMJET_LEADER_ELECT | on
--leader-elect-duration | RAMJET_LEADER_ELECT_DURATION | 15s | bare seconds
--leader-elect-renew | RAMJET_LEADER_ELECT_RENEW | 10s | bare seconds
--leader-elect-retry | RAMJET_LEADER_ELECT_RETRY | 2s | bare seconds
--leader-elect-lease-name | RAMJET_LEADER_ELECT_LEASE_NAME | ramjet-, the controller name; a hash where narrowed
--leader-elect-namespace | RAMJET_LEADER_ELECT_NAMESPACE | POD_NAMESPACE, else the account's

# Listeners
--http | RAMJET_HTTP | :8080
--https | RAMJET_HTTPS | :8443
--no-http | - | off
--no-https | - | off
--public-http-port | RAMJET_PUBLIC_HTTP_PORT | the listening port
--public-https-port | RAMJET_PUBLIC_HTTPS_PORT | the listening port
--trusted-proxies | RAMJET_TRUSTED_PROXIES | none
--proxy-protocol | RAMJET_PROXY_PROTOCOL | off
--proxy-protocol-from | RAMJET_PROXY_PROTOCOL_FROM | --trusted-proxies, else everyone
--proxy-protocol-timeout | RAMJET_PROXY_PROTOCOL_TIMEOUT | 5s
--underscore-headers | RAMJET_UNDERSCORE_HEADERS | drop
--encoded-slash | RAMJET_ENCODED_SLASH | keep

# Limits and timeouts
--header-timeout | RAMJET_HEADER_TIMEOUT | 10s | bare seconds
--body-timeout | RAMJET_BODY_TIMEOUT | 60s
--min-body-rate | RAMJET_MIN_BODY_RATE | 16
--send-timeout | RAMJET_SEND_TIMEOUT | 60s
--keepalive-timeout | RAMJET_KEEPALIVE_TIMEOUT | 75s | bare seconds
--keepalive-requests | RAMJET_KEEPALIVE_REQUESTS | 10000
--max-target-size | RAMJET_MAX_TARGET_SIZE | 16k
--max-header-size | RAMJET_MAX_HEADER_SIZE | 64k
--max-headers | RAMJET_MAX_HEADERS | 200
--max-body-size | RAMJET_MAX_BODY_SIZE | 0
--max-connections | RAMJET_MAX_CONNECTIONS | from the fd limit
--connection-buffer | RAMJET_CONNECTION_BUFFER | 64k
--buffer-budget | RAMJET_BUFFER_BUDGET | a quarter of the memory limit; 256m without one
--tunnel-idle-timeout | RAMJET_TUNNEL_IDLE_TIMEOUT | 1h
--udp-session-idle | RAMJET_UDP_SESSION_IDLE | 60s
--max-udp-sessions | RAMJET_MAX_UDP_SESSIONS | 10000
--limit-status | RAMJET_LIMIT_STATUS | 429
--shutdown-delay | RAMJET_SHUTDOWN_DELAY | 10s | bare seconds
--shutdown-grace | RAMJET_SHUTDOWN_GRACE | 30s | bare seconds

# Upstream and balancing
--connect-timeout | RAMJET_CONNECT_TIMEOUT | 5s | bare seconds
--max-connect-attempts | RAMJET_MAX_CONNECT_ATTEMPTS | 3
--response-timeout | RAMJET_RESPONSE_TIMEOUT | 60s | bare seconds
--max-response-header-size | RAMJET_MAX_RESPONSE_HEADER_SIZE | 32k
--max-response-headers | RAMJET_MAX_RESPONSE_HEADERS | 1000
--retry-buffer | RAMJET_RETRY_BUFFER | 64k
--upstream-pool-idle | RAMJET_UPSTREAM_POOL_IDLE | 128
--upstream-idle-timeout | RAMJET_UPSTREAM_IDLE_TIMEOUT | 60s
--upstream-h2-sessions | RAMJET_UPSTREAM_H2_SESSIONS | 8
--fail-timeout | RAMJET_FAIL_TIMEOUT | 10s
--mirror-max-body | RAMJET_MIRROR_MAX_BODY | 256k
--mirror-cross-namespace | RAMJET_MIRROR_CROSS_NAMESPACE | off

# TLS
--default-tls-secret | RAMJET_DEFAULT_TLS_SECRET | none
--self-signed-default | RAMJET_SELF_SIGNED_DEFAULT | off
--tls-min-version | RAMJET_TLS_MIN_VERSION | 1.2
--tls-handshake-timeout | RAMJET_TLS_HANDSHAKE_TIMEOUT | 10s
--ticket-key-secret | RAMJET_TICKET_KEY_SECRET | none
--certificate-grace | RAMJET_CERTIFICATE_GRACE | 24h

# HTTP/2
--no-h2 | - | off
--h2-max-streams | RAMJET_H2_MAX_STREAMS | 100
--h2-max-headers | RAMJET_H2_MAX_HEADERS | 256
--h2-max-resets | RAMJET_H2_MAX_RESETS | 100
--h2-max-control-frames | RAMJET_H2_MAX_CONTROL_FRAMES | 1000
--h2-flood-bytes | RAMJET_H2_FLOOD_BYTES | 256k
--h2-max-age | RAMJET_H2_MAX_AGE | 1h

# Operations
--debounce-min | RAMJET_DEBOUNCE_MIN | 10ms
--debounce | RAMJET_DEBOUNCE | 200ms
--history-size | RAMJET_HISTORY_SIZE | 10
--audit-webhook | RAMJET_AUDIT_WEBHOOK | none
--log-level | RAMJET_LOG_LEVEL | info
--log-format | RAMJET_LOG_FORMAT | json
--access-log | RAMJET_ACCESS_LOG | off
--access-log-query | RAMJET_ACCESS_LOG_QUERY | keep
--route-metrics | RAMJET_ROUTE_METRICS | off

# Admin
--admin | RAMJET_ADMIN | :10254
--no-admin | - | off
--admin-protect | RAMJET_ADMIN_PROTECT | writes
--admin-token-file | RAMJET_ADMIN_TOKEN_FILE | none
--admin-service | RAMJET_ADMIN_SERVICE | own namespace and ramjet-admin
--admission | RAMJET_ADMISSION | none
--admission-cert-dir | RAMJET_ADMISSION_CERT_DIR | none

# Experimental
--http3 | RAMJET_HTTP3 | off
`

export interface SpecifiedFlag {
  readonly group: string
  readonly name: string
  /** `undefined`: it has no twin. */
  readonly twin: string | undefined
  readonly default: string
  readonly bareSeconds: boolean
}

/** Every flag, in order. */
export function specifiedFlags(): readonly SpecifiedFlag[] {
  let group = ''
  return TEXT.split('\n').flatMap((line) => {
    if (line.startsWith('# ')) group = line.slice(2)
    if (!line.startsWith('--')) return []
    const [name = '', twin = '', text = '', bare] = line.split(' | ')
    return [{ group, name, twin: twin === '-' ? undefined : twin, default: text, bareSeconds: bare !== undefined }]
  })
}
