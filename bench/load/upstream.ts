// What the contenders are in front of: an nginx that answers by itself, on the CPU of the contenders.
import { freePorts } from '../../hack/cluster/free-port.ts'
import type { Job } from '../contenders/front.ts'
import { programPath } from '../contenders/installed.ts'
import { writeUpstream } from '../contenders/nginx.ts'
import { newFolder, startProgram } from '../contenders/start.ts'

export interface Upstream {
  /** `127.0.0.1:PORT`. */
  readonly address: string
  readonly stop: () => Promise<void>
}

/** Starts it; every path answers 128 bytes, by HTTP/1.1 or by gRPC in plaintext. */
export async function startUpstream(core: number, job: Job = 'request'): Promise<Upstream> {
  const folder = newFolder()
  const [port = 0, grpcPort] = await freePorts(job === 'grpc' ? 2 : 1)
  const file = writeUpstream(folder, port, grpcPort)
  const command = { program: programPath('nginx'), args: ['-c', file, '-p', folder, '-e', 'stderr'] }
  const { stop } = await startProgram('upstream', command, { folder, port, core })
  return { address: `127.0.0.1:${port}`, stop }
}
