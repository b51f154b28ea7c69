// Raw requests to the API server, with none of the product's own client in them.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Agent } from 'undici'
import type { ClientName } from './certificates.ts'

/** Any object, as the API server takes and gives it. */
export interface KubeObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly uid?: string
    readonly resourceVersion?: string
    readonly [field: string]: unknown
  }
  readonly [field: string]: unknown
}

/** A refusal of the API server, with the status code and the message that it gave. */
export class KubeError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(`${status}: ${message}`)
    this.status = status
  }
}

interface RequestOptions {
  readonly body?: unknown
  readonly contentType?: string
}

const MANAGER = 'ramjet-test'
/** A machine that is busy with something else takes several times as long as a quiet one. */
const CONNECT_MS = 30_000
const PLURALS = new Map([
  ['IngressClass', 'ingressclasses'],
  ['NetworkPolicy', 'networkpolicies'],
  ['Ingress', 'ingresses'],
  ['ClassParameters', 'classparameters'],
])

export class KubeClient {
  readonly url: string
  readonly #agent: Agent

  constructor(url: string, certificates: string, client: ClientName) {
    this.url = url
    this.#agent = new Agent({
      connect: {
        timeout: CONNECT_MS,
        ca: readFileSync(join(certificates, 'server-ca.crt')),
        cert: readFileSync(join(certificates, `${client}.crt`)),
        key: readFileSync(join(certificates, `${client}.key`)),
      },
    })
  }

  /** The body of the answer: decoded JSON, or text where it is none. Throws `KubeError` above 299. */
  async request(method: string, path: string, { body, contentType }: RequestOptions = {}): Promise<unknown> {
    const origin = this.url
    const headers = body === undefined ? {} : { 'content-type': contentType ?? 'application/json' }
    const sent = body === undefined ? null : JSON.stringify(body)
    const answer = await this.#agent.request({ origin, path, method, headers, body: sent })
    const text = await answer.body.text()
    if (answer.statusCode > 299) throw new KubeError(answer.statusCode, reasonIn(text))
    return text.startsWith('{') ? JSON.parse(text) : text
  }

  /** Server-side apply: the object is made or brought to this state. */
  async apply(object: KubeObject): Promise<KubeObject> {
    const path = `${pathOf(object)}?fieldManager=${MANAGER}&force=true`
    const options = { body: object, contentType: 'application/apply-patch+yaml' }
    return (await this.request('PATCH', path, options)) as KubeObject
  }

  async create(object: KubeObject): Promise<KubeObject> {
    return (await this.request('POST', collectionOf(object), { body: object })) as KubeObject
  }

  async get(object: KubeObject): Promise<KubeObject> {
    return (await this.request('GET', pathOf(object))) as KubeObject
  }

  /** JSON merge patch: `null` takes a field away, an array is replaced whole. */
  async patch(object: KubeObject, patch: Readonly<Record<string, unknown>>): Promise<KubeObject> {
    const options = { body: patch, contentType: 'application/merge-patch+json' }
    return (await this.request('PATCH', pathOf(object), options)) as KubeObject
  }

  /** Deletes the object; one that does not exist is as good as deleted. */
  async delete(object: KubeObject): Promise<void> {
    await this.request('DELETE', pathOf(object)).catch((error: unknown) => {
      if (!(error instanceof KubeError && error.status === 404)) throw error
    })
  }

  /** Whether the API server says that it is ready; `false` also where nobody listens yet. */
  async ready(path: string = '/readyz'): Promise<boolean> {
    return this.request('GET', path).then(
      () => true,
      () => false,
    )
  }

  async close(): Promise<void> {
    await this.#agent.destroy()
  }
}

function reasonIn(text: string): string {
  try {
    return (JSON.parse(text) as { message?: string }).message ?? text
  } catch {
    return text
  }
}

function pathOf(object: KubeObject): string {
  return `${collectionOf(object)}/${object.metadata.name}`
}

function collectionOf({ apiVersion, kind, metadata }: KubeObject): string {
  const group = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
  const namespace = metadata.namespace === undefined ? '' : `/namespaces/${metadata.namespace}`
  return `${group}${namespace}/${PLURALS.get(kind) ?? `${kind.toLowerCase()}s`}`
}
