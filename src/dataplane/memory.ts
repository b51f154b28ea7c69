import { totalmem } from 'node:os'

/** The part of a process's memory that is heap; the rest is Buffers, code and stacks (R70-127). */
const HEAP_SHARE = 0.6
/** A worker needs about 10 MiB to start; below this it would only die. */
const MIN_HEAP_MB = 32
const MIB = 1024 * 1024

/** Buffered bytes of a process that has no limit of its own (R20-122). */
const UNLIMITED_BUDGET = 256 * MIB

/** Bytes that this process may use: the limit of its cgroup, else what the machine has. */
export function memoryLimit(): number {
  return cgroupLimit() ?? totalmem()
}

/** The limit of this process's cgroup in bytes; `undefined`: it has none below what the machine has. */
export function cgroupLimit(): number | undefined {
  const limit = process.constrainedMemory()
  // Without a limit the system reports 0 or a number beyond any machine.
  return limit > 0 && limit < totalmem() ? limit : undefined
}

/** What a process under this limit may hold in buffers, over all workers (R20-122). */
export function defaultBufferBudget(limitBytes: number | undefined): number {
  return limitBytes === undefined ? UNLIMITED_BUDGET : Math.floor(limitBytes / 4)
}

/** Old-generation heap of each worker in MiB, when workers and main share the heap of `limitBytes` evenly. */
export function workerHeapMb(limitBytes: number, workers: number): number {
  return Math.max(MIN_HEAP_MB, Math.floor((limitBytes * HEAP_SHARE) / MIB / (workers + 1)))
}
