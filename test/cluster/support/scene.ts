// Hooks that most files need: one Ramjet for the whole suite, one namespace for each test.

import { theCluster } from './cluster.ts'
import { Ramjet, type RamjetOptions } from './ramjet.ts'
import { TestNamespace } from './test-namespace.ts'

export interface Scene {
  readonly ramjet: Ramjet
  /** The running test's own. */
  readonly namespace: TestNamespace
}

/** Call it inside `describe`; read its fields inside tests. */
export function scene(options: RamjetOptions = {}): Scene {
  const namespace = namespaceForEach()
  let ramjet: Ramjet | undefined
  before('start Ramjet', async () => {
    ramjet = await Ramjet.start(theCluster(), options)
  })
  after('stop Ramjet', async () => {
    await ramjet?.stop()
  })
  return {
    get ramjet() {
      return must(ramjet)
    },
    get namespace() {
      return namespace()
    },
  }
}

/** A namespace for each test of this `describe`, removed after it with all that is in it. */
export function namespaceForEach(): () => TestNamespace {
  let namespace: TestNamespace | undefined
  beforeEach('make a namespace', async () => {
    namespace = await TestNamespace.create(theCluster())
  })
  afterEach('remove the namespace', async () => {
    await namespace?.remove()
  })
  return () => must(namespace)
}

function must<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('it is there once hooks have run')
  return value
}
