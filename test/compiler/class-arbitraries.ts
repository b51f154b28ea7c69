// What classes may set, at random: fields that act on routes, on backends, and on what is left over.
import * as fc from 'fast-check'
import type { ClassParametersReading } from '../../src/compiler/snapshot.ts'
import type { ClassFields } from '../../src/model/class-fields.ts'

/** The one object that classes of the builder name. */
export const PARAMETERS_KEYS = ['shop/tuned']

export const fieldsArbitrary: fc.Arbitrary<ClassFields> = fc.record(
  {
    defaultBackend: fc.constantFrom(
      { namespace: 'shop', name: 'web', port: '80' },
      { namespace: 'shop', name: 'none', port: 'http' },
    ),
    responseTimeoutMs: fc.constantFrom(1000, 2000),
    retry: fc.constantFrom({ attempts: 2, on: ['connect', 503] as const, backoffMs: 5 }),
    routingMode: fc.constantFrom('endpoint' as const, 'service' as const),
    healthMode: fc.constantFrom('provider' as const, 'probe' as const),
    loadBalancing: fc.constantFrom('leastConn', 'hash'),
    loadBalancingKey: fc.constantFrom('host', 'header:X-User'),
  },
  { requiredKeys: [] },
)

export const readingArbitrary: fc.Arbitrary<ClassParametersReading> = fc.oneof(
  { weight: 4, arbitrary: fieldsArbitrary.map((fields) => ({ kind: 'valid' as const, fields })) },
  { weight: 1, arbitrary: fc.constant({ kind: 'invalid' as const, field: 'spec.timeout', problem: 'is wrong' }) },
)
