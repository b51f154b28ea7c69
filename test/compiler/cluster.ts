// One cluster that most compiler tests share: Services with an endpoint each, so that only what a test adds is told.
import { compile } from '../../src/compiler/compile.ts'
import { emptyMemo } from '../../src/compiler/memo.ts'
import type { CompileResult } from '../../src/compiler/result.ts'
import type { ClusterSnapshot, CompileSettings } from '../../src/compiler/snapshot.ts'
import { endpointSlice } from '../builders/endpoint-slice.ts'
import { service } from '../builders/service.ts'
import { type ClusterContents, SETTINGS, snapshot } from '../builders/snapshot.ts'

const NAMES = ['shop/web', 'shop/api', 'shop/cart', 'shop/old', 'shop/new', 'bank/web']

/** The shared Services, each with the port `http` (80) and one ready endpoint. */
export const SERVICES = NAMES.map((name) => service(name, 'http=80'))
export const SLICES = NAMES.map((name, index) =>
  endpointSlice(name)
    .port(8080, 'http')
    .ready(`192.0.2.${index + 1}`),
)

/** A snapshot of that cluster with `contents` added. */
export function clusterOf({ services = [], slices = [], ...contents }: ClusterContents): ClusterSnapshot {
  return snapshot({ services: [...SERVICES, ...services], slices: [...SLICES, ...slices], ...contents })
}

/** That snapshot, compiled from nothing. */
export function compileCluster(contents: ClusterContents, settings: Partial<CompileSettings> = {}): CompileResult {
  return compile(clusterOf(contents), { ...SETTINGS, ...settings }, emptyMemo())
}
