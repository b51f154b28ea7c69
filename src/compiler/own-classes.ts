import type { ObjectRef } from '../model/object-ref.ts'
import type { CompileResult } from './result.ts'

/** Our IngressClasses, served or not, in order of their names: whom findings about the whole are told to (R13-5). */
export function ownClasses({ memo }: Pick<CompileResult, 'memo'>): readonly ObjectRef[] {
  const { verdicts } = memo.selection.classes
  const names = [...verdicts].flatMap(([name, { kind }]) => (kind === 'foreign' ? [] : [name]))
  return names.toSorted().map((name) => ({ kind: 'IngressClass', namespace: '', name }))
}
