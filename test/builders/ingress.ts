import type {
  HttpIngressPath,
  Ingress,
  IngressBackend,
  IngressRule,
  IngressServiceBackend,
  IngressTls,
} from '../../src/api/networking.ts'
import { metaOf } from './meta.ts'

/** The smallest claimed Ingress, to be added to: `ingress('shop/web').host('a.example').path('/cart', 'cart:http')`. */
export function ingress(name: string): IngressBuilder {
  return new IngressBuilder(name)
}

interface Rule {
  readonly host: string | undefined
  readonly paths: HttpIngressPath[]
}

export class IngressBuilder {
  readonly #name: string
  readonly #rules: Rule[] = []
  readonly #annotations = new Map<string, string>()
  readonly #tls: IngressTls[] = []
  #className: string | undefined = 'ramjet'
  #createdAt: string | undefined
  #defaultBackend: IngressBackend | undefined

  constructor(name: string) {
    this.#name = name
  }

  /** Begins a rule; the paths that follow belong to it. No argument: a rule without host. */
  host(host?: string): this {
    this.#rules.push({ host, paths: [] })
    return this
  }

  /** A Prefix path to `service:port`, the port by number or by name. */
  path(path: string, backend: string): this {
    return this.typed(path, 'Prefix', backend)
  }

  exact(path: string, backend: string): this {
    return this.typed(path, 'Exact', backend)
  }

  /** An ImplementationSpecific path. */
  free(path: string, backend: string): this {
    return this.typed(path, 'ImplementationSpecific', backend)
  }

  /** A path of any type, or of none. */
  typed(path: string | undefined, pathType: string | undefined, backend: string | IngressBackend): this {
    const target = typeof backend === 'string' ? { service: serviceOf(backend) } : backend
    const written = { ...(path === undefined ? {} : { path }), ...(pathType === undefined ? {} : { pathType }) }
    if (this.#rules.length === 0) this.host()
    this.#rules.at(-1)?.paths.push({ ...written, backend: target })
    return this
  }

  defaultBackend(backend: string): this {
    this.#defaultBackend = { service: serviceOf(backend) }
    return this
  }

  /** An entry of `spec.tls`; `undefined`: without a Secret. */
  tls(secretName: string | undefined, ...hosts: readonly string[]): this {
    this.#tls.push({ ...(hosts.length === 0 ? {} : { hosts }), ...(secretName === undefined ? {} : { secretName }) })
    return this
  }

  annotate(key: string, value: string): this {
    this.#annotations.set(key, value)
    return this
  }

  /** `spec.ingressClassName`; no argument: none. The default is `ramjet`. */
  className(name?: string): this {
    this.#className = name
    return this
  }

  /** Seconds after the first moment of the fixtures: a smaller number is an older object. */
  age(second: number): this {
    this.#createdAt = `2026-01-01T00:${String(Math.floor(second / 60)).padStart(2, '0')}:${String(second % 60).padStart(2, '0')}Z`
    return this
  }

  build(): Ingress {
    const rules = this.#rules.map(
      ({ host, paths }): IngressRule => ({ ...(host === undefined ? {} : { host }), http: { paths } }),
    )
    const annotations = this.#annotations.size > 0 ? { annotations: Object.fromEntries(this.#annotations) } : {}
    const createdAt = this.#createdAt === undefined ? {} : { creationTimestamp: this.#createdAt }
    return {
      metadata: { ...metaOf(this.#name), ...createdAt, ...annotations },
      spec: {
        ...(this.#className === undefined ? {} : { ingressClassName: this.#className }),
        ...(this.#defaultBackend === undefined ? {} : { defaultBackend: this.#defaultBackend }),
        ...(this.#tls.length === 0 ? {} : { tls: this.#tls }),
        ...(rules.length === 0 ? {} : { rules }),
      },
    }
  }
}

function serviceOf(text: string): IngressServiceBackend {
  const [name = '', port = ''] = text.split(':')
  if (port === '') return { name }
  return { name, port: /^\d+$/.test(port) ? { number: Number(port) } : { name: port } }
}
