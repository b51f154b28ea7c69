import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Contender, Place } from './contender.ts'
import { type Front, isSecure, PLAIN } from './front.ts'
import { GRPC_MESSAGE } from './grpc-message.ts'
import { programPath, versionOf } from './installed.ts'

/** nginx as the package of the system has it, one worker process. */
export function nginx(front: Front): Contender {
  return {
    name: 'nginx',
    front,
    version: () => versionOf(programPath('nginx'), ['-v'], /nginx\/\S+/),
    command: (place) => {
      const file = join(place.folder, 'nginx.conf')
      writeFileSync(file, nginxText(place, { front }), 'latin1')
      return { program: programPath('nginx'), args: ['-c', file, '-p', place.folder, '-e', 'stderr'] }
    },
  }
}

export const NGINX: Contender = nginx(PLAIN)

/** The body of every answer of the upstream: 128 bytes (R60-48). */
export const ANSWER: string = 'the answer of the upstream, '.repeat(5).slice(0, 127)

/** An nginx that answers everything by itself, calls of gRPC where it has a second port: what the contenders are in front of. */
export function writeUpstream(folder: string, port: number, innerPort?: number): string {
  const file = join(folder, 'upstream.conf')
  const servers = innerPort === undefined ? requestServer(port) : callServers(port, innerPort)
  writeFileSync(file, aroundHttp(folder, servers), 'latin1')
  return file
}

function requestServer(port: number): string {
  const answer = `default_type text/plain; return 200 "${ANSWER}\\n";`
  return `server { listen 127.0.0.1:${port} backlog=4096; location / { ${answer} } }`
}

// An answer by itself would come before the question is read, and make clients break off: a second server behind the
// first one gives it when the body is there.
function callServers(port: number, innerPort: number): string {
  const inner = `127.0.0.1:${innerPort}`
  return `upstream inner { server ${inner}; keepalive 256; keepalive_requests 1000000000; }
    server {
      listen ${inner};
      location / { default_type application/grpc; return 200 "${GRPC_MESSAGE.toString('latin1')}"; }
    }
    server {
      listen 127.0.0.1:${port} backlog=4096 http2;
      location / {
        proxy_pass http://inner; proxy_http_version 1.1; proxy_set_header Connection '';
        add_trailer grpc-status 0 always;
      }
    }`
}

export interface NginxOptions {
  readonly front?: Front
  /** Further servers. */
  readonly others?: string
}

/** The configuration of the contender. */
export function nginxText(place: Place, { front = PLAIN, others = '' }: NginxOptions = {}): string {
  const { folder, upstream, port } = place
  const by = front.job === 'grpc' ? 'grpc' : 'proxy'
  return aroundHttp(
    folder,
    `upstream origin { server ${upstream}; keepalive 256; keepalive_requests 1000000000; keepalive_timeout 3600s; }
     map $http_upgrade $connection_option { default upgrade; '' ''; }
     server {
       listen 127.0.0.1:${port} backlog=4096${listenOptions(front)};
       ${certificateLines(front)}
       client_max_body_size 0;
       location / {
         ${front.job === 'grpc' ? 'grpc_pass grpc://origin;' : HTTP_PASS}
         ${by}_read_timeout 3600s;
         ${by}_set_header Host $http_host;
         ${by}_set_header X-Request-Id $request_id;
         ${by}_set_header X-Real-IP $remote_addr;
         ${by}_set_header X-Forwarded-For $remote_addr;
         ${by}_set_header X-Forwarded-Host $http_host;
         ${by}_set_header X-Forwarded-Port $server_port;
         ${by}_set_header X-Forwarded-Proto $scheme;
         ${by}_set_header X-Forwarded-Scheme $scheme;
         ${by}_set_header X-Scheme $scheme;
       }
     }
     ${others}`,
  )
}

const HTTP_PASS = `proxy_pass http://origin;
         proxy_http_version 1.1;
         proxy_request_buffering off;
         proxy_set_header Upgrade $http_upgrade;
         proxy_set_header Connection $connection_option;`

function listenOptions(front: Front): string {
  return `${isSecure(front) ? ' ssl' : ''}${front.speaks === 'h2' || front.speaks === 'h2c' ? ' http2' : ''}`
}

function certificateLines({ pair }: Front): string {
  if (!pair) return ''
  return `ssl_certificate ${pair.cert}; ssl_certificate_key ${pair.key}; ssl_protocols TLSv1.2 TLSv1.3;`
}

function aroundHttp(folder: string, servers: string): string {
  return `worker_processes 1; daemon off; pid ${join(folder, 'nginx.pid')};
    worker_rlimit_nofile 65536;
    events { worker_connections 32768; }
    http {
      access_log off; server_tokens off; tcp_nodelay on;
      keepalive_timeout 3600s; keepalive_requests 1000000000;
      client_body_temp_path ${join(folder, 'body')}; proxy_temp_path ${join(folder, 'proxy')};
      fastcgi_temp_path ${join(folder, 'fastcgi')}; uwsgi_temp_path ${join(folder, 'uwsgi')};
      scgi_temp_path ${join(folder, 'scgi')};
      ${servers}
    }`
}
