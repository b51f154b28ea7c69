import { totalmem } from 'node:os'

/** The part of a process's memory that is heap; the rest is Buffers, code and stacks (R70-127). */
const HEAP_SHARE = 0.6
/** A worker needs about 10 MiB to start; below this it would only die. */
const MIN_HEAP_MB = 32
const MIB = 1024 * 1024

/** Bytes that this process may use: the limit of its cgroup, else what the machine has. */
export function memoryLimit(): number {
  const limit = process.constrainedMemory()
  const machine = totalmem()
  // Without a limit the system reports 0 or a number beyond any machine.
  return limit > 0 && limit < machine ? limit : machine
}

/** Old-generation heap of each worker in MiB, when workers and main share the heap of `limitBytes` evenly. */
export function workerHeapMb(limitBytes: number, workers: number): number {
  return Math.max(MIN_HEAP_MB, Math.floor((limitBytes * HEAP_SHARE) / MIB / (workers + 1)))
}
