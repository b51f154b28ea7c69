import { compile } from '../compiler/compile.ts'
import { emptyMemo } from '../compiler/memo.ts'
import type { ClusterSnapshot, CompileSettings, RouteFile } from '../compiler/snapshot.ts'
import { WARNING_REASONS } from '../model/warning.ts'
import type { FileFault } from './file-fault.ts'
import type { ReadRouteFile } from './route-file.ts'

/** A snapshot of no cluster and one file of routes. */
export function fileSnapshot(file: RouteFile): ClusterSnapshot {
  return {
    ingresses: new Map(),
    ingressClasses: new Map(),
    services: new Map(),
    endpointSlices: new Map(),
    resolvedNames: new Map(),
    file,
    servedBackends: new Map(),
    defaults: {},
    classParameters: new Map(),
    wantedObjects: new Map(),
    tlsSecrets: new Map(),
  }
}

/** What a compile of no cluster goes by: no class is ours, since there is none. */
export const FILE_COMPILE_SETTINGS: CompileSettings = {
  ingressClass: '',
  ingressClassGiven: false,
  controllerName: '',
  watchIngressWithoutClass: false,
  defaultBackend: undefined,
  allowExternalName: false,
}

/** What the compiler has to say against a file: a warning about an object of the cluster, here an error (R20-178). */
export function checkRouteFile({ file, lineOf }: ReadRouteFile): readonly FileFault[] {
  return compile(fileSnapshot(file), FILE_COMPILE_SETTINGS, emptyMemo())
    .warnings.filter(({ reason }) => WARNING_REASONS[reason].severity === 'Warning')
    .map(({ field, message }) => ({ line: lineOf(field), field, message }))
    .toSorted((a, b) => a.line - b.line)
}
