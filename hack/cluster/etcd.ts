// etcd on free ports of the namespace, and what is asked of it beside an API server.
import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Child } from './child.ts'
import { freePorts } from './free-port.ts'

export interface Etcd {
  readonly url: string
  readonly process: Child
  readonly data: string
}

/** A machine that is busy with something else takes several times as long as a quiet one. */
const READY_MS = 40_000

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
export async function backUpEtcd({ process, data }: Etcd, to: string): Promise<void> {
  process.signal('SIGSTOP')
  try {
    while (!hasStopped(process.pid)) await sleep(1)
    cpSync(data, to, { recursive: true })
  } finally {
    process.signal('SIGCONT')
  }
}

/** Whether every thread of a process stands still: one that is in the middle of a write ends that first. */
function hasStopped(pid: number): boolean {
  return readdirSync(`/proc/${pid}/task`).every((thread) => /^\d+ \(.*\) T /s.test(statOf(pid, thread)))
}

/** The state of a thread; that of one which stands still where it has ended since. */
function statOf(pid: number, thread: string): string {
  try {
    return readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')
  } catch {
    return `${thread} () T `
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
