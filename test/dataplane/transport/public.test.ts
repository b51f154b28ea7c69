import { createPublicTransport } from '../../../src/dataplane/transport/public.ts'
import { transportContract } from '../../contract/transport.ts'

transportContract('public', createPublicTransport)
