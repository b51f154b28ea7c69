import type { RequestView } from '../../src/router/request-view.ts'

/** A view of host and path as an engine offers it: ranges of a larger buffer. */
export function requestView(host: string, path: string): RequestView {
  const bytes = Buffer.from(`::${host} ${path}::`, 'latin1')
  const hostEnd = 2 + host.length
  return { bytes, hostStart: 2, hostEnd, pathStart: hostEnd + 1, pathEnd: hostEnd + 1 + path.length }
}
