import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Contender, Place } from './contender.ts'
import { programPath, versionOf } from './installed.ts'

/** nginx as the package of the system has it, one worker process. */
export const NGINX: Contender = {
  name: 'nginx',
  version: () => versionOf(programPath('nginx'), ['-v'], /nginx\/\S+/),
  command: (place) => {
    const file = join(place.folder, 'nginx.conf')
    writeFileSync(file, nginxText(place))
    return { program: programPath('nginx'), args: ['-c', file, '-p', place.folder, '-e', 'stderr'] }
  },
}

/** The body of every answer of the upstream: 128 bytes (R60-48). */
export const ANSWER: string = 'the answer of the upstream, '.repeat(5).slice(0, 127)

/** An nginx that answers everything by itself: what the contenders are in front of. */
export function writeUpstream(folder: string, port: number): string {
  const file = join(folder, 'upstream.conf')
  const answer = `default_type text/plain; return 200 "${ANSWER}\\n";`
  writeFileSync(file, aroundHttp(folder, `server { listen 127.0.0.1:${port} backlog=4096; location / { ${answer} } }`))
  return file
}

/** The configuration of the contender, with `others` as further servers. */
export function nginxText({ folder, upstream, port }: Place, others = ''): string {
  return aroundHttp(
    folder,
    `upstream origin { server ${upstream}; keepalive 256; keepalive_requests 1000000000; keepalive_timeout 3600s; }
     map $http_upgrade $connection_option { default upgrade; '' ''; }
     server {
       listen 127.0.0.1:${port} backlog=4096;
       client_max_body_size 0;
       location / {
         proxy_pass http://origin;
         proxy_http_version 1.1;
         proxy_request_buffering off;
         proxy_read_timeout 3600s;
         proxy_set_header Host $http_host;
         proxy_set_header Upgrade $http_upgrade;
         proxy_set_header Connection $connection_option;
         proxy_set_header X-Request-Id $request_id;
         proxy_set_header X-Real-IP $remote_addr;
         proxy_set_header X-Forwarded-For $remote_addr;
         proxy_set_header X-Forwarded-Host $http_host;
         proxy_set_header X-Forwarded-Port $server_port;
         proxy_set_header X-Forwarded-Proto $scheme;
         proxy_set_header X-Forwarded-Scheme $scheme;
         proxy_set_header X-Scheme $scheme;
       }
     }
     ${others}`,
  )
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
