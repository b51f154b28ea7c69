import type { IngressClass } from '../../src/api/networking.ts'
import { metaOf } from './meta.ts'

/** What a class may say beyond its name. */
export interface ClassOptions {
  /** Default: ours. */
  readonly controller?: string
  readonly isDefault?: boolean
  /** Whether it names the ClassParameters shop/tuned. */
  readonly hasParameters?: boolean
}

/** An IngressClass of our controller. */
export function ingressClass(name: string, options: ClassOptions = {}): IngressClass {
  const { controller = 'ramjet.dev/ingress', isDefault = false, hasParameters = false } = options
  const annotations = isDefault ? { annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' } } : {}
  const parameters = hasParameters
    ? {
        parameters: {
          apiGroup: 'ramjet.dev',
          kind: 'ClassParameters',
          scope: 'Namespace',
          name: 'tuned',
          namespace: 'shop',
        },
      }
    : {}
  return { metadata: { ...metaOf(name), ...annotations }, spec: { controller, ...parameters } }
}
