import type { EngineSettings } from '../../src/dataplane/engine.ts'

/** Settings of an engine as no flag would have them otherwise. */
export const ENGINE_SETTINGS: EngineSettings = {
  trustedProxies: [],
  underscoreHeaders: 'drop',
  encodedSlash: 'keep',
  publicHttpPort: undefined,
  connectTimeoutMs: 5000,
  maxConnectAttempts: 3,
  connectionBufferBytes: 65_536,
}
