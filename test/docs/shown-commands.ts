// Every command that a page shows, where it is run, and what it prints there (R32-8, R80-23).
import { commandsIn, readPages } from './pages.ts'

export interface ShownCommand {
  readonly command: string
  readonly prints: RegExp
}

/** Run against `npm run demo` (test/docs/demo.test.ts). */
export const IN_DEMO: readonly ShownCommand[] = [
  { command: "curl http://127.0.0.1:8080/ -H 'Host: shop.example'", prints: /"echo": "web"/ },
  { command: "curl -k https://127.0.0.1:8443/ -H 'Host: shop.example'", prints: /"echo": "web"/ },
  {
    command: "curl --http2-prior-knowledge http://127.0.0.1:8080/shop.Cart/List -H 'Host: shop.example'",
    prints: /"echo": "cart"/,
  },
  {
    command: String.raw`curl -sk https://127.0.0.1:8443/ -H 'Host: shop.example' -o /dev/null -w '%{http_version}\n'`,
    prints: /^2$/m,
  },
  {
    command: "curl -s --http2-prior-knowledge http://127.0.0.1:8080/ -H 'Host: shop.example'",
    prints: /"echo": "web"/,
  },
  { command: 'curl -s http://127.0.0.1:10254/readyz', prints: /"status": "ready"/ },
  { command: 'curl -s http://127.0.0.1:10254/healthz', prints: /"status": "ok"/ },
  { command: 'curl -s http://127.0.0.1:10254/admin/routes', prints: /"routes":/ },
  { command: 'curl -s http://127.0.0.1:10254/admin/warnings', prints: /"warnings":/ },
  { command: 'curl -s http://127.0.0.1:10254/metrics', prints: /^ramjet_requests_total \d+$/m },
  {
    command: "curl -s 'http://127.0.0.1:10254/admin/match?host=shop.example&path=/cart'",
    prints: /"virtual_host": "shop\.example"/,
  },
  { command: 'curl -s http://127.0.0.1:10254/admin/backends', prints: /"in_flight": 0/ },
  { command: 'curl -s http://127.0.0.1:10254/admin/certificates', prints: /"default\.ramjet\.invalid"/ },
  { command: 'curl -s http://127.0.0.1:10254/admin/config', prints: /"name": "--static-routes"/ },
  { command: 'curl -s http://127.0.0.1:10254/admin/replicas', prints: /"self": true/ },
  { command: 'curl -s http://127.0.0.1:10254/admin/generations', prints: /"summary": "\d+ routes added/ },
  {
    command: `curl -s -XPOST -d '{"generation": 1}' http://127.0.0.1:10254/admin/rollback`,
    prints: /"pinned": 1$/m,
  },
  { command: 'curl -s -XDELETE http://127.0.0.1:10254/admin/rollback', prints: /"pinned": null/ },
  { command: 'node src/main.ts generations --url http://127.0.0.1:10254', prints: /^1 +serving +\S+ +[0-9a-f]{32}/m },
  {
    command: 'node src/main.ts rollback --generation 1 --url http://127.0.0.1:10254',
    prints: /^serving generation 1 \([0-9a-f]{32}\), pinned$/m,
  },
  { command: 'node hack/gen-rbac.ts --namespaces shop,blog', prints: /^ {2}name: ramjet-watched$/m },
  { command: 'node src/main.ts rollback --release --url http://127.0.0.1:10254', prints: /, not pinned$/m },
]

/** Run inside `npm run demo:cluster`, in this order (test/cluster/docs.test.ts). */
export const IN_DEMO_CLUSTER: readonly ShownCommand[] = [
  { command: 'kubectl apply -f config/samples', prints: /^ingress\.networking\.k8s\.io\/cafe created$/m },
  { command: 'kubectl get ingress', prints: /^cafe +ramjet +cafe\.example/m },
  { command: 'curl http://cafe.example/coffee', prints: /"pod":"coffee-[12]"/ },
  { command: 'curl http://cafe.example/tea', prints: /"pod":"tea-1"/ },
  { command: 'curl http://anything.example/', prints: /"pod":"tea-1"/ },
  { command: 'curl http://127.0.0.1:10254/admin/routes', prints: /"host":\s*"cafe\.example"/ },
  {
    command: 'kubectl apply -f config/samples/class-parameters',
    prints: /^classparameters\.ramjet\.dev\/tuned created$/m,
  },
  { command: 'kubectl get classparameters', prints: /^NAME +ACCEPTED +PROGRAMMED +ROUTES(.|\n)+^tuned /m },
  {
    command:
      'kubectl -n ramjet-system create configmap ramjet-config --from-file=examples/full-config.yaml --dry-run=client -o yaml',
    prints: /^ {2}full-config\.yaml: \|/m,
  },
  {
    command: String.raw`kubectl get ingress -o custom-columns='NAME:.metadata.name,GENERATION:.metadata.annotations.ramjet\.dev/observed-generation'`,
    prints: /^cafe +\d+$/m,
  },
  {
    command:
      'openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=cafe -addext subjectAltName=DNS:cafe.example -keyout /tmp/cafe-key.pem -out /tmp/cafe.pem',
    prints: /^$/,
  },
  {
    command: 'kubectl create secret tls cafe-tls --cert=/tmp/cafe.pem --key=/tmp/cafe-key.pem',
    prints: /^secret\/cafe-tls created$/m,
  },
  { command: 'kubectl apply -f config/samples/tls', prints: /^ingress\.networking\.k8s\.io\/cafe configured$/m },
  { command: 'curl --cacert /tmp/cafe.pem https://cafe.example/coffee', prints: /"pod":"coffee-[12]"/ },
  {
    command: 'curl -i http://cafe.example/coffee',
    prints: /^HTTP\/1\.1 308 [\s\S]+^Location: https:\/\/cafe\.example\/coffee\r$/im,
  },
]

/** Run neither here nor there, and why that is enough. */
export const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ['npm ci', 'the first step of .ci/run'],
  ['npm test', 'a step of .ci/run, and what runs this test'],
  ['npm run check', 'a step of .ci/run'],
  ['npm run test:unit', 'half of npm test'],
  ['npm run demo', 'started by test/docs/demo.test.ts'],
  ['kubectl apply --server-side -k config', 'how npm run demo:cluster installs (hack/cluster/install.ts)'],
  ['npm run demo:cluster', 'started by test/cluster/docs.test.ts'],
  ['export PATH="$PWD/node_modules/.bin:$PATH"', 'how test/docs/commands.test.ts finds node'],
  ['node --version', 'run by test/docs/commands.test.ts'],
])

/** Every line of a shell block, on any page. */
export function shownCommands(): readonly string[] {
  return [...new Set(readPages().flatMap(({ text }) => commandsIn(text)))]
}
