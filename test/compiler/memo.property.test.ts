import { expect } from 'chai'
import * as fc from 'fast-check'
import { compile } from '../../src/compiler/compile.ts'
import { emptyMemo } from '../../src/compiler/memo.ts'
import { recompileEndpoints } from '../../src/compiler/recompile-endpoints.ts'
import type { CompileResult } from '../../src/compiler/result.ts'
import type { ClusterSnapshot } from '../../src/compiler/snapshot.ts'
import { changeDigest, emptyDigest } from '../../src/lib/bucketed-digest.ts'
import { endpointElements, routeElements } from '../../src/model/elements.ts'
import { SETTINGS, snapshot } from '../builders/snapshot.ts'
import { fieldsArbitrary, PARAMETERS_KEYS, readingArbitrary } from './class-arbitraries.ts'
import { contentOf } from './same-result.ts'
import {
  CLASS_NAMES,
  classArbitrary,
  fileArbitrary,
  INGRESS_KEYS,
  ingressArbitrary,
  resolvedArbitrary,
  SECRET_KEYS,
  SERVICE_KEYS,
  secretArbitrary,
  serviceArbitrary,
  slicesArbitrary,
  TLS_SECRET_KEYS,
  tlsSecretArbitrary,
} from './snapshot-arbitraries.ts'

/** One edit of a cluster. Only `slices` may take the short way (R80-15). */
type Edit =
  | { readonly kind: 'whole'; readonly apply: (before: ClusterSnapshot) => ClusterSnapshot }
  | { readonly kind: 'slices'; readonly service: string; readonly apply: (before: ClusterSnapshot) => ClusterSnapshot }
  /** The publisher took over what was compiled last. */
  | { readonly kind: 'served' }

const settings = {
  ...SETTINGS,
  allowExternalName: true,
  defaultTlsSecret: 'system/default',
  defaultBackend: { namespace: 'shop', name: 'api', port: '80' },
}

function edited<V>(map: ReadonlyMap<string, V>, key: string, value: V | undefined): ReadonlyMap<string, V> {
  const copy = new Map(map)
  if (value === undefined) copy.delete(key)
  else copy.set(key, value)
  return copy
}

function entry<V>(keys: readonly string[], arbitraryOf: (key: string) => fc.Arbitrary<V>) {
  return fc
    .constantFrom(...keys)
    .chain((key) => fc.option(arbitraryOf(key), { nil: undefined, freq: 4 }).map((value) => ({ key, value })))
}

const edit: fc.Arbitrary<Edit> = fc.oneof(
  {
    weight: 5,
    arbitrary: entry(INGRESS_KEYS, ingressArbitrary).map(
      ({ key, value }): Edit => ({
        kind: 'whole',
        apply: (before) => ({ ...before, ingresses: edited(before.ingresses, key, value) }),
      }),
    ),
  },
  {
    weight: 3,
    arbitrary: entry(SERVICE_KEYS, serviceArbitrary).map(
      ({ key, value }): Edit => ({
        kind: 'whole',
        apply: (before) => ({ ...before, services: edited(before.services, key, value) }),
      }),
    ),
  },
  {
    weight: 2,
    arbitrary: entry(SECRET_KEYS, secretArbitrary).map(
      ({ key, value }): Edit => ({
        kind: 'whole',
        apply: (before) => ({ ...before, wantedObjects: edited(before.wantedObjects, key, value) }),
      }),
    ),
  },
  {
    weight: 4,
    arbitrary: entry(SERVICE_KEYS, slicesArbitrary).map(
      ({ key, value }): Edit => ({
        kind: 'slices',
        service: key,
        apply: (before) => ({ ...before, endpointSlices: edited(before.endpointSlices, key, value) }),
      }),
    ),
  },
  {
    weight: 2,
    arbitrary: entry(SERVICE_KEYS, () => resolvedArbitrary).map(
      ({ key, value }): Edit => ({
        kind: 'slices',
        service: key,
        apply: (before) => ({ ...before, resolvedNames: edited(before.resolvedNames, key, value) }),
      }),
    ),
  },
  {
    weight: 3,
    arbitrary: entry(TLS_SECRET_KEYS, () => tlsSecretArbitrary).map(
      ({ key, value }): Edit => ({
        kind: 'whole',
        apply: (before) => ({ ...before, tlsSecrets: edited(before.tlsSecrets, key, value) }),
      }),
    ),
  },
  {
    weight: 1,
    arbitrary: entry(CLASS_NAMES, classArbitrary).map(
      ({ key, value }): Edit => ({
        kind: 'whole',
        apply: (before) => ({ ...before, ingressClasses: edited(before.ingressClasses, key, value) }),
      }),
    ),
  },
  {
    weight: 1,
    arbitrary: entry(PARAMETERS_KEYS, () => readingArbitrary).map(
      ({ key, value }): Edit => ({
        kind: 'whole',
        apply: (before) => ({ ...before, classParameters: edited(before.classParameters, key, value) }),
      }),
    ),
  },
  {
    weight: 1,
    arbitrary: fieldsArbitrary.map(
      (defaults): Edit => ({ kind: 'whole', apply: (before) => ({ ...before, defaults }) }),
    ),
  },
  {
    weight: 1,
    arbitrary: fileArbitrary.map(
      (file): Edit => ({
        kind: 'whole',
        apply: (before) => ({ ...before, file }),
      }),
    ),
  },
  { weight: 1, arbitrary: fc.constant<Edit>({ kind: 'served' }) },
)

function step(before: ClusterSnapshot, last: CompileResult, change: Edit): readonly [ClusterSnapshot, CompileResult] {
  switch (change.kind) {
    case 'whole': {
      const after = change.apply(before)
      return [after, compile(after, settings, last.memo)]
    }
    case 'slices': {
      const after = change.apply(before)
      return [after, recompileEndpoints(after, last, new Set([change.service]))]
    }
    case 'served': {
      const after = { ...before, servedBackends: last.tables.routes.backends }
      return [after, compile(after, settings, last.memo)]
    }
  }
}

/** Elements that came out equal and are nevertheless other objects than before. */
function rebuilt<V>(before: ReadonlyMap<string, V>, after: ReadonlyMap<string, V>): readonly string[] {
  const same = ([key, value]: readonly [string, V]) => JSON.stringify(before.get(key)) === JSON.stringify(value)
  return [...after].filter((element) => same(element) && before.get(element[0]) !== element[1]).map(([key]) => key)
}

function rebuiltCertificates(before: CompileResult, after: CompileResult): readonly string[] {
  const [was, is] = [before.tables.routes.certificates, after.tables.routes.certificates]
  if (!was || !is) return []
  return [...rebuilt(was.certificates, is.certificates), ...rebuilt(was.serverNames, is.serverNames)]
}

function rootOf(elements: ReadonlyMap<string, string>): string {
  return changeDigest(emptyDigest(), elements).root
}

describe('a compile with a memo', () => {
  it('R30-5: equals a compile from nothing over any sequence of edits, the short way among them', () => {
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 20 }), (edits) => {
        let cluster = snapshot()
        let result = compile(cluster, settings, emptyMemo())
        for (const change of edits) {
          const before = result
          ;[cluster, result] = step(cluster, before, change)
          expect(contentOf(result)).to.deep.equal(contentOf(compile(cluster, settings, emptyMemo())))
          expect(rebuilt(before.tables.routes.hosts, result.tables.routes.hosts)).to.deep.equal([])
          expect(rebuiltCertificates(before, result)).to.deep.equal([])
          expect(rebuilt(before.tables.routes.backends, result.tables.routes.backends)).to.deep.equal([])
          expect(rebuilt(before.tables.endpoints.byBackend, result.tables.endpoints.byBackend)).to.deep.equal([])
        }
      }),
      { numRuns: 300 },
    )
  }).timeout(60_000)

  it('R80-16: leaves the memo that it was given as it was', () => {
    fc.assert(
      fc.property(fc.array(edit, { minLength: 2, maxLength: 8 }), edit, (edits, other) => {
        let cluster = snapshot()
        let result = compile(cluster, settings, emptyMemo())
        for (const change of edits) [cluster, result] = step(cluster, result, change)
        const content = contentOf(step(cluster, result, other)[1])
        step(cluster, result, { kind: 'whole', apply: (before) => ({ ...before, ingresses: new Map() }) })
        expect(contentOf(step(cluster, result, other)[1])).to.deep.equal(content)
      }),
    )
  }).timeout(60_000)
})

describe('digests of the tables', () => {
  it('R00-8: do not depend on the order in which objects came', () => {
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 20 }), (edits) => {
        let cluster = snapshot()
        for (const change of edits) if (change.kind !== 'served') cluster = change.apply(cluster)
        const reversed: ClusterSnapshot = {
          ...cluster,
          ingresses: new Map([...cluster.ingresses].toReversed()),
          services: new Map([...cluster.services].toReversed()),
          tlsSecrets: new Map([...cluster.tlsSecrets].toReversed()),
          endpointSlices: new Map(
            [...cluster.endpointSlices].map(([key, list]) => [key, list.toReversed()] as const).toReversed(),
          ),
          ingressClasses: new Map([...cluster.ingressClasses].toReversed()),
        }
        const forwards = compile(cluster, settings, emptyMemo())
        const backwards = compile(reversed, settings, emptyMemo())
        expect(backwards.tables.routes.digest).to.equal(forwards.tables.routes.digest)
        expect(backwards.tables.endpoints.digest).to.equal(forwards.tables.endpoints.digest)
        expect(contentOf({ ...backwards, warnings: [] })).to.deep.equal(contentOf({ ...forwards, warnings: [] }))
      }),
      { numRuns: 200 },
    )
  }).timeout(60_000)

  it('R00-8: are the roots over the digests of their elements', () => {
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 10 }), (edits) => {
        let cluster = snapshot()
        let result = compile(cluster, settings, emptyMemo())
        for (const change of edits) [cluster, result] = step(cluster, result, change)
        expect(rootOf(routeElements(result.tables.routes))).to.equal(result.tables.routes.digest)
        expect(rootOf(endpointElements(result.tables.endpoints))).to.equal(result.tables.endpoints.digest)
      }),
    )
  })
})
