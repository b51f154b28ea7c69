// etcd on free ports of the namespace, and what is asked of it beside an API server.
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { Child } from './child.ts'
import { freePorts } from './free-port.ts'

export interface Etcd {
  readonly url: string
  readonly process: Child
  readonly data: string
}

const READY_MS = 10_000

/** Starts one with its data in a folder `name` of `work`; `running` gets its process before it is ready. */
export async function startEtcd(bin: string, work: string, running: Child[], name: string = 'etcd'): Promise<Etcd> {
  const data = join(work, name)
  const [url = '', peer = ''] = (await freePorts(2)).map((port) => `http://127.0.0.1:${port}`)
  const urls = [`--listen-client-urls=${url}`, `--advertise-client-urls=${url}`, `--listen-peer-urls=${peer}`]
  const args = [...urls, `--data-dir=${data}`, '--unsafe-no-fsync=true']
  const process = new Child(name, join(bin, 'etcd'), { args, log: join(work, 'logs', `${name}.log`) })
  running.push(process)
  await process.untilReady(() => answers(`${url}/health`), READY_MS)
  return { url, process, data }
}

/** Copies what etcd holds to a folder of its own. It stands still meanwhile, so the copy is what a crash would leave. */
export function backUpEtcd({ process, data }: Etcd, to: string): void {
  process.signal('SIGSTOP')
  try {
    cpSync(data, to, { recursive: true })
  } finally {
    process.signal('SIGCONT')
  }
}

/** Makes etcd forget every revision but the newest. Resolves with the one that is left. */
export async function compactEtcd(url: string): Promise<string> {
  const { header } = (await call(url, 'range', { key: 'AA==' })) as { header: { revision: string } }
  await call(url, 'compaction', { revision: header.revision, physical: true })
  return header.revision
}

async function call(url: string, method: string, body: unknown): Promise<unknown> {
  const answer = await fetch(`${url}/v3/kv/${method}`, { method: 'POST', body: JSON.stringify(body) })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`etcd ${method}: ${answer.status} ${text}`)
  return JSON.parse(text)
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )
}
