/** What an annotation does, by its key. Every built one must stand here. */
export const MEANINGS: ReadonlyMap<string, string> = new Map([
  [
    'kubernetes.io/ingress.class',
    'The Ingress is ours if and only if the value equals `--ingress-class`, whatever `spec.ingressClassName` says.',
  ],
  ['ingressclass.kubernetes.io/is-default-class', 'On an IngressClass of ours: Ingresses that name no class are ours.'],

  nginx(
    'backend-protocol',
    'What is spoken to the Service port: `HTTPS` is HTTP/1.1 over TLS, `GRPC` is HTTP/2 without TLS, `GRPCS` is HTTP/2 over TLS. Two Ingresses that ask for two: the older one rules. Without the key a port whose `appProtocol` is `kubernetes.io/h2c` is spoken to as `GRPC`.',
  ),
  nginx(
    'proxy-ssl-secret',
    'A Secret of the own namespace: authorities to verify the backend by in `ca.crt`, a certificate to show to it in `tls.crt` and `tls.key`. While it is missing or cannot be used, every route to the port answers 503.',
  ),
  nginx(
    'proxy-ssl-verify',
    'Whether the certificate of the backend must be right, in its chain and in its name. Without it the connection is private and nothing more, and `UpstreamNotVerified` says so.',
  ),
  nginx(
    'proxy-ssl-name',
    'The name that the certificate must be good for, and that is sent where `proxy-ssl-server-name` is on. Without it: `service.namespace.svc`, or the name of an ExternalName Service.',
  ),
  nginx('proxy-ssl-verify-depth', 'Certificates above its own that the chain of the backend may have.'),
  nginx('proxy-ssl-server-name', 'Whether the name is sent in the handshake.'),
  nginx('proxy-ssl-protocols', 'Versions of TLS that are offered to the backend.'),
  nginx('proxy-ssl-ciphers', 'Ciphers that are offered to the backend, as OpenSSL lists them.'),

  nginx('load-balance', 'How an endpoint is chosen. A bad value of `hash` says which part of it is bad.'),
  nginx('upstream-hash-by', 'Requests with the same text go to the same endpoint, as long as it is there.'),
  nginx('service-upstream', 'The cluster IP of the Service is dialled in place of its endpoints.'),
  ramjet(
    'health-check-path',
    'Every endpoint is asked for this path; one that fails gets no request while others are left.',
  ),
  ramjet('health-check-interval', 'From the start of one check to the start of the next.'),
  ramjet('health-check-timeout', 'How long a check may take.'),
  ramjet('health-check-healthy', 'Good checks in a row that bring a failed endpoint back.'),
  ramjet('health-check-unhealthy', 'Bad checks in a row that fail an endpoint.'),
  ramjet('health-check-status', 'Which statuses are good.'),
  ramjet('health-mode', '`provider` trusts the EndpointSlices; `probe` checks as well.'),
  ramjet('slow-start', 'An endpoint that came later than others grows to its share over this time.'),

  nginx(
    'rewrite-target',
    'The path of the request becomes this one, on every path of the Ingress; the query stays. `$1` to `$9` are the groups of the regular expression that chose the route. A URL is answered 302. A path that lacks a group which the target names is not rewritten, and one that equals the target neither.',
  ),
  nginx(
    'use-regex',
    '`true` reads every ImplementationSpecific path of the Ingress as a regular expression, `false` every one as it stands; without it the characters decide. Exact and Prefix keep their meaning, and so does every other Ingress of the host.',
  ),
  nginx(
    'app-root',
    'A request for exactly `/` of the host is answered 302 with this path. It is guarded as the route that takes `/` is.',
  ),
  nginx(
    'x-forwarded-prefix',
    'The value of `X-Forwarded-Prefix` for the upstream, where the path is rewritten. One that is empty is not sent.',
  ),
  nginx(
    'server-alias',
    'Other names of the first host of the Ingress: they have its routes. A name that a rule of any Ingress has, or that an older Ingress asked for, is not taken.',
  ),
  ramjet(
    'rewrite-target',
    'On an Exact path or a regular expression it becomes the whole path; on a Prefix it takes the place of what matched, and the rest stays. In braces behind a dollar sign stand captures, by number (0 is what matched) or by name. Where both spellings are set, this one rules.',
  ),
  ramjet('use-regex', 'As that of ingress-nginx, before which it goes.'),

  nginx(
    'ssl-redirect',
    'Who comes by http is answered 308 with the same URL by https, before anything else is asked, where the host has TLS: an entry of `spec.tls` is for it or for its wildcard. What a peer of `--trusted-proxies` says in `X-Forwarded-Proto` counts. A path that is written out, begins with `/.well-known/acme-challenge` and rewrites nothing is left out.',
  ),
  nginx('force-ssl-redirect', 'The same, whether the host has TLS or not: somebody in front may have it.'),

  nginx(
    'ssl-passthrough',
    'TLS connections for the host go unread to the backend that takes its `/`. Whoever else has TLS entries for the host is told `TLSHostConflict`. What comes by http is served as ever.',
  ),
  nginx('ssl-ciphers', 'Ciphers for clients of TLS 1.2 that ask for the host.'),
  nginx(
    'ssl-prefer-server-ciphers',
    'Whether the order of Ramjet goes before that of the client, as it does without the key.',
  ),

  nginx('proxy-connect-timeout', 'How long a connection to an endpoint may take. After the last try: 504.'),
  nginx(
    'proxy-read-timeout',
    'How long the response head may take, and how long a body or a tunnel may stand still. Before a head: 504.',
  ),
  nginx('proxy-send-timeout', 'How long an endpoint may take no byte of a request. 504.'),
  nginx('proxy-body-size', 'The largest request body; 413 above it. `0` is no limit.'),
  nginx('client-body-buffer-size', 'What `proxy-request-buffering` reads at most.'),
  nginx(
    'proxy-request-buffering',
    '`on` reads a body that fits `client-body-buffer-size` whole before an endpoint is asked, and one that came in chunks goes on with a length. A larger one streams from there. A client that waits for `100 Continue` is not made to wait for this.',
  ),
  nginx(
    'proxy-buffering',
    'A response passes as it comes, and what a slow client leaves waits in memory, up to `--connection-buffer`: the same for both values.',
  ),
  nginx(
    'proxy-buffer-size',
    'The largest response head; 502 above it. A value below `--max-response-header-size` changes nothing. Of a backend that speaks HTTP/2 at most twice that flag is taken.',
  ),
  nginx(
    'proxy-next-upstream',
    'After which failures another endpoint is asked. Without it: after a failed connect alone. What may have been done already, a POST for one, is repeated with `non_idempotent` only, and nothing is once a byte of the response was passed on.',
  ),
  nginx('proxy-next-upstream-tries', 'Tries in all; `0` asks each endpoint once.'),
  nginx('proxy-next-upstream-timeout', 'No try begins later than this after the first; `0` is no limit.'),
])

function nginx(name: string, meaning: string): readonly [string, string] {
  return [`nginx.ingress.kubernetes.io/${name}`, meaning]
}

function ramjet(name: string, meaning: string): readonly [string, string] {
  return [`ramjet.dev/${name}`, meaning]
}
