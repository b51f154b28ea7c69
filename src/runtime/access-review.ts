import { recordOf } from '../lib/json-record.ts'
import type { ApiReader } from './client.ts'
import type { Resource } from './resource.ts'

const PATH = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'

export interface AccessQuestion {
  readonly verb: 'list' | 'watch'
  readonly resource: Resource
  /** `undefined`: in all namespaces. */
  readonly namespace: string | undefined
}

/** What the API server says to a SelfSubjectAccessReview: whether we may (R30-48). Everybody may ask (R50-20). */
export async function mayI(client: ApiReader, question: AccessQuestion, signal: AbortSignal): Promise<boolean> {
  const { verb, resource, namespace } = question
  const resourceAttributes = {
    verb,
    group: resource.group,
    version: resource.version,
    resource: resource.plural,
    ...(namespace === undefined ? {} : { namespace }),
  }
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes },
  }
  return isAllowed(await client.post(PATH, review, { signal }))
}

function isAllowed(answer: unknown): boolean {
  return recordOf(recordOf(answer)['status'])['allowed'] === true
}
