import { get, refused, served, type WireRow } from '../wire-row.ts'

/** Section E: the canonical path. `/admin` is guarded: 503 says that its rules apply. */
export const PATHS: readonly WireRow[] = [
  refused([106, 'uri-dd', get('/pub/../admin')], 503, 'open'),
  refused([107, 'uri-pctdd', get('/pub/%2e%2e/admin')], 503, 'open'),
  refused([undefined, 'uri-pct-unreserved', get('/%61dmin')], 503, 'open'),
  refused([undefined, 'uri-dot', get('/./admin')], 503, 'open'),
  served([undefined, 'uri-dd-upstream', get('/admin/../pub?x=/../y')], { line: 'GET /pub?x=/../y HTTP/1.1' }),
  served([109, 'uri-dslash', get('//admin')], { line: 'GET //admin HTTP/1.1' }),
  refused([110, 'uri-semi', get('/pub;/../admin')], 503, 'open'),
  refused([111, 'uri-bslash', get('/pub\\..\\admin')], 400),
  refused([undefined, 'uri-pct-bslash', get('/pub%5c..%5cadmin')], 400),
  refused([113, 'uri-pct00', get('/a%00')], 400),
  refused([undefined, 'uri-pct0d0a', get('/a%0d%0aX:b')], 400),
  refused([undefined, 'uri-pct1f', get('/a%1F')], 400),
  refused([undefined, 'uri-pct7f', get('/a%7f')], 400),
  refused([undefined, 'uri-pct-half', get('/a%2')], 400),
  refused([undefined, 'uri-climbs', get('/../admin')], 400),
  served([114, 'uri-double', get('/pub/%252e%252e/admin')], { line: 'GET /pub/%252e%252e/admin HTTP/1.1' }),
]
