import { setTimeout as delay } from 'node:timers/promises'
import { givenLoad, runDriver } from './driver.ts'
import type { WorkReport } from './interleaved.ts'
import { latencyOf } from './latency.ts'
import { EchoTunnel } from './tunnel-client.ts'

export interface EchoLoad {
  readonly port: number
  readonly tunnels: number
  readonly seconds: number
}

/** Echoes through so many tunnels for so many seconds, on the CPU `core`; the handshakes are part of it. */
export function runEchoes(load: EchoLoad, core: number): Promise<WorkReport> {
  return runDriver(import.meta.filename, load, core)
}

async function echoAll({ port, tunnels: count, seconds }: EchoLoad): Promise<WorkReport> {
  const tunnels = Array.from({ length: count }, () => new EchoTunnel(port))
  const outcomes = await Promise.allSettled(tunnels.map(({ opened }) => opened))
  const startMs = performance.now()
  for (const tunnel of tunnels) if (tunnel.isAlive) tunnel.send()
  await delay(seconds * 1000)
  const took = (performance.now() - startMs) / 1000
  for (const tunnel of tunnels) {
    tunnel.isGoing = false
    tunnel.close()
  }
  const times = tunnels.flatMap((tunnel) => tunnel.times)
  return {
    units: times.length,
    perSecond: times.length / took,
    ...latencyOf(times),
    faults: outcomes.filter(({ status }) => status === 'rejected').length,
  }
}

if (import.meta.main) console.log(JSON.stringify(await echoAll(givenLoad() as EchoLoad)))
