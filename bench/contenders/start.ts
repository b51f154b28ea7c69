// Starts the programs of a benchmark, pinned to one CPU, and waits until they take connections.
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Child } from '../../hack/cluster/child.ts'
import { freePorts } from '../../hack/cluster/free-port.ts'
import { ask } from './ask.ts'
import type { Command, Contender, Running } from './contender.ts'
import { type Front, PLAIN } from './front.ts'
import { ProcessTree } from './process-tree.ts'

const START_MS = 30_000

export interface StartedProgram {
  readonly tree: ProcessTree
  readonly stop: () => Promise<void>
}

/** Starts a contender in front of `upstream` on a CPU; throws the end of what it printed if it takes no connection. */
export async function startContender(contender: Contender, upstream: string, core: number): Promise<Running> {
  const folder = newFolder()
  const [port = 0, adminPort = 0] = await freePorts(2)
  const place = { folder, upstream, port, adminPort }
  const { tree, stop } = await startProgram(contender.name, contender.command(place), {
    folder,
    port: place.port,
    core,
  })
  try {
    await untilServing(place.port, contender.front ?? PLAIN)
  } catch (thrown) {
    await stop()
    throw thrown
  }
  return { name: contender.name, place, countsItself: contender.countsItself === true, tree, stop }
}

// Some listen before they have read what to serve, or only to see whether they may.
async function untilServing(port: number, front: Front): Promise<void> {
  const endMs = performance.now() + START_MS
  while (!(await serves(port, front))) {
    if (performance.now() > endMs) throw new Error(`nothing serves on port ${port}`)
    await delay(50)
  }
}

async function serves(port: number, front: Front): Promise<boolean> {
  try {
    const { status } = await ask(port, front)
    return status >= 200 && status < 300
  } catch {
    return false
  }
}

/** A folder for one program; it goes when that is stopped. */
export function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'bench-'))
}

/** Starts a program that will listen on `port` of the loopback address. */
export async function startProgram(
  name: string,
  { program, args, env = {} }: Command,
  { folder, port, core }: { readonly folder: string; readonly port: number; readonly core: number },
): Promise<StartedProgram> {
  // taskset becomes the program, so the child's number is the program's.
  const child = new Child(name, 'taskset', {
    args: ['-c', String(core), program, ...args],
    log: join(folder, 'output.log'),
    env: { ...process.env, ...env },
    cwd: folder,
  })
  const stop = async (): Promise<void> => {
    await child.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await child.untilReady(() => takesConnections(port), START_MS)
  } catch (thrown) {
    await stop()
    throw thrown
  }
  return { tree: new ProcessTree(child.pid), stop }
}

function takesConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
