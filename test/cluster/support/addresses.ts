// Addresses are handed out once per run: a later test must not meet what an earlier one left in flight.
let pods = 0
let replicas = 0

/** An address of 10.244.2.0 to 10.244.199.255, for an echo pod. */
export function nextPodAddress(): string {
  pods += 1
  return `10.244.${2 + Math.floor(pods / 250)}.${1 + (pods % 250)}`
}

/** An address of 10.244.1.0/24, for a pod of Ramjet's own. */
export function nextReplicaAddress(): string {
  replicas += 1
  return `10.244.1.${replicas}`
}
