// `npm run demo` on free ports, and the means to run the commands that pages and examples show against it.
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePorts } from '../../hack/cluster/free-port.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const EXAMPLE = join(ROOT, 'examples', 'dev-routes.yaml')

export interface Ran {
  readonly code: number | null
  readonly stdout: string
}

export interface RunningDemo {
  /** What it printed until now. */
  output(): string
  /** Runs `command` in a shell, with the ports that it shows replaced by those that are used here. */
  run(command: string): Promise<Ran>
  stop(): Promise<number | null>
}

/** Starts the demo and waits until it says what to try. */
export async function startDemo(): Promise<RunningDemo> {
  const dir = await mkdtemp(join(tmpdir(), 'ramjet-demo-'))
  const example = await readFile(EXAMPLE, 'utf8')
  const shown = new Set(example.match(/(?<=127\.0\.0\.1:)\d+/g)).add('10254')
  const free = await freePorts(shown.size)
  const ports = new Map([...shown].map((port, index) => [port, free[index]]))
  const replaced = (text: string): string =>
    text.replaceAll(/127\.0\.0\.1:(\d+)/g, (_whole, port: string) => `127.0.0.1:${ports.get(port) ?? port}`)
  const file = join(dir, 'dev-routes.yaml')
  await writeFile(file, replaced(example))
  const listeners = ['--http', replaced('127.0.0.1:8080'), '--https', replaced('127.0.0.1:8443')]
  const places = [...listeners, '--admin', replaced('127.0.0.1:10254')]
  const child = spawn(process.execPath, [join(ROOT, 'hack', 'demo.ts'), file, ...places], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
        if (output.includes('Ctrl-C ends the demo')) resolve()
      })
    }
    child.once('close', () => reject(new Error(`the demo ended:\n${output}`)))
  })
  return {
    output: () => output,
    run: (command) => runInShell(replaced(command)),
    stop: async () => {
      child.kill('SIGTERM')
      const code = await ended
      await rm(dir, { recursive: true })
      return code
    },
  }
}

async function runInShell(command: string): Promise<Ran> {
  const child = spawn('sh', ['-c', command], { stdio: ['ignore', 'pipe', 'ignore'], cwd: ROOT })
  let stdout = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, stdout }
}
