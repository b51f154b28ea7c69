import { recordOf } from '../lib/json-record.ts'
import { ApiStatusError } from './api-errors.ts'
import type { ApiReader } from './client.ts'
import type { Resource } from './resource.ts'

const PATH = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'

export interface AccessQuestion {
  readonly verb: 'list' | 'watch'
  readonly resource: Resource
  /** `undefined`: in all namespaces. */
  readonly namespace: string | undefined
  /** The one object that is meant; `undefined`: all of them. */
  readonly name?: string | undefined
}

/**
 * What the API server says to a SelfSubjectAccessReview: whether we may (R30-48). Everybody may ask (R50-20), unless
 * someone took that from us too: then the answer is true, and the attempt itself will tell.
 */
export async function mayI(client: ApiReader, question: AccessQuestion, signal: AbortSignal): Promise<boolean> {
  const { verb, resource, namespace, name } = question
  const resourceAttributes = {
    verb,
    group: resource.group,
    version: resource.version,
    resource: resource.plural,
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
  }
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes },
  }
  try {
    const answer = recordOf(await client.post(PATH, review, { signal }))
    return recordOf(answer['status'])['allowed'] === true
  } catch (error) {
    if (error instanceof ApiStatusError && (error.status === 403 || error.status === 404)) return true
    throw error
  }
}
