import { createStandardEngine } from '../../../src/dataplane/engines/standard/server.ts'
import { engineContract } from '../../contract/engine.ts'

engineContract('standard engine', createStandardEngine)
