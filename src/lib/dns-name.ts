/** A label of DNS (RFC 1123), as namespaces, Services and most names of Kubernetes are. */
export const DNS_LABEL: RegExp = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** A name of DNS in labels, as the API server wants the names of Secrets, classes and Leases; labels are not counted here. */
export const DNS_NAME: RegExp = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/
