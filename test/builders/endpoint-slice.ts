import {
  type EndpointConditions,
  type EndpointSlice,
  SERVICE_NAME_LABEL,
  type SliceEndpoint,
} from '../../src/api/discovery.ts'
import { metaOf } from './meta.ts'

/** A slice of the Service `namespace/name`, for one unnamed port. */
export function endpointSlice(service: string, suffix = 'a'): EndpointSliceBuilder {
  return new EndpointSliceBuilder(service, suffix)
}

export class EndpointSliceBuilder {
  readonly #service: string
  readonly #suffix: string
  readonly #endpoints: SliceEndpoint[] = []
  #addressType = 'IPv4'
  #port = { name: '', port: 8080 }

  constructor(service: string, suffix: string) {
    this.#service = service
    this.#suffix = suffix
  }

  type(addressType: string): this {
    this.#addressType = addressType
    return this
  }

  port(port: number, name = ''): this {
    this.#port = { name, port }
    return this
  }

  /** Endpoints without conditions: ready. */
  ready(...addresses: readonly string[]): this {
    for (const address of addresses) this.#endpoints.push({ addresses: [address] })
    return this
  }

  with(address: string, conditions: EndpointConditions): this {
    this.#endpoints.push({ addresses: [address], conditions })
    return this
  }

  build(): EndpointSlice {
    const name = this.#service.slice(this.#service.indexOf('/') + 1)
    return {
      metadata: { ...metaOf(`${this.#service}-${this.#suffix}`), labels: { [SERVICE_NAME_LABEL]: name } },
      addressType: this.#addressType,
      endpoints: this.#endpoints,
      ports: [this.#port],
    }
  }
}
