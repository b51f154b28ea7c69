// `npm run soak:certificates`: 1,000 rotations of a certificate under 10 handshakes a second, none of which may be lost
// (R21-18). Ends with code 1 where one was.
import { rotate } from '../dataplane/tls/rotations.ts'
import { startSecurePlane } from '../dataplane/tls/secure-plane.ts'

const ROTATIONS = 1000
const PAUSE_MS = 100
const WORKERS = 2

const plane = await startSecurePlane({ workers: WORKERS })
const { rotations, handshakes, lost } = await rotate(plane, { rotations: ROTATIONS, clients: 1, pauseMs: PAUSE_MS })
await plane.stop()
process.stdout.write(`${rotations} rotations, ${handshakes} handshakes, ${lost.length} lost\n`)
for (const what of lost.slice(0, 10)) process.stdout.write(`${what}\n`)
process.exitCode = lost.length > 0 ? 1 : 0
