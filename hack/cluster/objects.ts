// The smallest objects of each kind that the API server takes.
import type { KubeObject } from './kube-client.ts'

export interface PodRef {
  readonly name: string
  readonly address: string
}

/** Conditions of one endpoint; ready when nothing else is said. */
export interface SlicePod {
  readonly address: string
  readonly ready?: boolean
  readonly serving?: boolean
  readonly terminating?: boolean
}

/** The port that a pod's echo server listens on, whatever the Service's own port is. */
export const POD_PORT = 8080

/** A Service with port 80, named `http`. */
export function service(namespace: string, name: string): KubeObject {
  const ports = [{ name: 'http', port: 80, protocol: 'TCP', targetPort: POD_PORT }]
  return { apiVersion: 'v1', kind: 'Service', metadata: { name, namespace }, spec: { ports } }
}

/** The one slice of a Service, with the addresses of its pods: nobody else writes slices in the test cluster. */
export function endpointSlice(namespace: string, serviceName: string, pods: readonly SlicePod[]): KubeObject {
  const endpoints = pods.map(({ address, ...conditions }) => ({
    addresses: [address],
    conditions: { ready: true, ...conditions },
  }))
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: `${serviceName}-1`, namespace, labels: { 'kubernetes.io/service-name': serviceName } },
    addressType: 'IPv4',
    ports: [{ name: 'http', port: POD_PORT, protocol: 'TCP' }],
    endpoints,
  }
}

export function namespaceObject(name: string): KubeObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }
}
