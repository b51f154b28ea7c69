// A fixed piece of work on one CPU: how much dearer it is than the best of a run says how much the machine was disturbed.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { ProcessTree } from '../contenders/process-tree.ts'

/** Measures the same work again and again, in a process of its own on the CPU of the contenders (R60-2). */
export interface Calibrator {
  /** CPU nanoseconds of one unit. */
  measure(): Promise<number>
  stop(): void
}

const ROUND_TRIPS = 400
const MEMORY_BYTES = 256 * 1024
const LINE_BYTES = 64

/** Starts it on a CPU. */
export async function startCalibrator(core: number): Promise<Calibrator> {
  const child = fork(import.meta.filename, ['--calibrate'], {
    execPath: 'taskset',
    execArgv: ['-c', String(core), process.execPath],
  })
  await once(child, 'message')
  return {
    measure: async () => {
      child.send('measure')
      const [ns]: unknown[] = await once(child, 'message')
      return Number(ns)
    },
    stop: () => child.kill(),
  }
}

async function calibrate(): Promise<void> {
  const [near, far] = await socketPair()
  far.on('data', (bytes) => far.write(bytes))
  const tree = new ProcessTree(process.pid)
  await unit(near)
  const answer = async (): Promise<void> => {
    const before = tree.cpuNs()
    await unit(near)
    process.send?.((tree.cpuNs() - before) / ROUND_TRIPS)
  }
  process.on('message', () => void answer())
  process.on('disconnect', () => process.exit())
  process.send?.('ready')
}

async function unit(near: Socket): Promise<void> {
  const ping = Buffer.alloc(200)
  const memory = new Uint8Array(MEMORY_BYTES)
  for (let trip = 0; trip < ROUND_TRIPS; trip += 1) {
    near.write(ping)
    await once(near, 'data')
    for (let at = 0; at < MEMORY_BYTES; at += LINE_BYTES) memory[at] = trip
  }
}

async function socketPair(): Promise<readonly [Socket, Socket]> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const near = connect(typeof address === 'object' && address !== null ? address.port : 0, '127.0.0.1')
  const [far]: unknown[] = await once(server, 'connection')
  server.close()
  if (!(far as Socket).setNoDelay) throw new TypeError('a connection is a socket')
  near.setNoDelay(true)
  return [near, (far as Socket).setNoDelay(true)]
}

if (process.argv[2] === '--calibrate') await calibrate()
