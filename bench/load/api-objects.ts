import type { KubeObject } from '../../hack/cluster/kube-client.ts'

/** Where an Ingress of the benchmark sends its one host. */
export interface IngressPlan {
  readonly namespace: string
  readonly name: string
  readonly host: string
  readonly service: string
}

/** An Ingress of our class with one rule: everything on `host` goes to port 80 of `service`. */
export function ingress(plan: IngressPlan): KubeObject {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name: plan.name, namespace: plan.namespace },
    spec: { ingressClassName: 'ramjet', rules: rulesOf(plan) },
  }
}

/** The same with TLS: the certificate of its host is in the Secret `secretName`. */
export function secureIngress(plan: IngressPlan, secretName: string): KubeObject {
  const tls = [{ hosts: [plan.host], secretName }]
  return { ...ingress(plan), spec: { ingressClassName: 'ramjet', rules: rulesOf(plan), tls } }
}

/** The rules of such an Ingress, for a patch of them alone. */
export function rulesOf({ host, service }: IngressPlan): readonly unknown[] {
  const backend = { service: { name: service, port: { number: 80 } } }
  return [{ host, http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }]
}
