// What is measured side by side: a proxy of one upstream, as a process of its own.
import type { Front } from './front.ts'
import type { ProcessTree } from './process-tree.ts'

/** What a contender is given to run with. */
export interface Place {
  /** An empty folder of its own for configuration and state. */
  readonly folder: string
  /** `127.0.0.1:PORT` of the upstream. */
  readonly upstream: string
  /** The port that it is to listen on, of the loopback address. */
  readonly port: number
  /** Another one, for whoever tells about himself. */
  readonly adminPort: number
}

/** How a contender is started: a program that stays in the foreground. */
export interface Command {
  readonly program: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** A proxy that does the job of R60-6: one worker, keep-alive on both sides, the forwarded fields, no access log. */
export interface Contender {
  readonly name: string
  /** What is spoken before and behind it; absent: HTTP/1.1 in plaintext. */
  readonly front?: Front
  /** It tells on its admin port what it counted, as Ramjet does. */
  readonly countsItself?: true
  /** Fields of the job that it cannot do, in lower case. */
  readonly lacks?: readonly string[]
  /** What it says about itself; `undefined` where it is not installed. */
  version(): string | undefined
  /** Writes what it needs into `place.folder`. */
  command(place: Place): Command
}

/** A contender that runs. */
export interface Running {
  readonly name: string
  readonly place: Place
  readonly countsItself: boolean
  readonly tree: ProcessTree
  /** Ends it and whatever it started. */
  readonly stop: () => Promise<void>
}
