// etcd on free ports of the namespace, and the one thing that is asked of it beside an API server.
import { join } from 'node:path'
import { Child } from './child.ts'
import { freePort } from './free-port.ts'

export interface Etcd {
  readonly url: string
  readonly process: Child
}

const READY_MS = 10_000

/** Starts one with its data in `work`; `running` gets its process before it is ready. */
export async function startEtcd(bin: string, work: string, running: Child[]): Promise<Etcd> {
  const url = `http://127.0.0.1:${await freePort()}`
  const peer = `http://127.0.0.1:${await freePort()}`
  const urls = [`--listen-client-urls=${url}`, `--advertise-client-urls=${url}`, `--listen-peer-urls=${peer}`]
  const data = [`--data-dir=${join(work, 'etcd')}`, '--unsafe-no-fsync=true']
  const process = new Child('etcd', join(bin, 'etcd'), {
    args: [...urls, ...data],
    log: join(work, 'logs', 'etcd.log'),
  })
  running.push(process)
  await process.untilReady(() => answers(`${url}/health`), READY_MS)
  return { url, process }
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
