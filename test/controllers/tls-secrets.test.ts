import { expect } from 'chai'
import type { DataObject } from '../../src/api/core.ts'
import type { Change } from '../../src/controllers/compile-loop.ts'
import { SnapshotStore } from '../../src/controllers/snapshot-store.ts'
import { TlsSecrets } from '../../src/controllers/tls-secrets.ts'
import type { WantedLook } from '../../src/controllers/wanted-objects.ts'
import { keyOf, type ObjectRef } from '../../src/model/object-ref.ts'
import { secret } from '../builders/secret.ts'
import { type KeyPair, makeCertificate } from '../fakes/certificates.ts'
import { FakeClock } from '../fakes/clock.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const KEY = 'shop/tls'

function pair({ cert, key }: KeyPair, type = 'kubernetes.io/tls'): DataObject {
  return secret(KEY, { 'tls.crt': cert, 'tls.key': key }, type)
}

describe('TlsSecrets', () => {
  let first: KeyPair
  let second: KeyPair
  let listed: Map<string, DataObject>
  let named: Map<string, WantedLook>
  let wanted: readonly ObjectRef[]
  let snapshots: SnapshotStore
  let marked: Change[]
  let clock: FakeClock
  let secrets: TlsSecrets

  before('make certificates', () => {
    first = makeCertificate(['shop.example'], { days: 90 })
    second = makeCertificate(['shop.example'])
  })

  beforeEach(() => {
    listed = new Map()
    named = new Map()
    wanted = []
    marked = []
    // The certificates are valid from today on.
    clock = new FakeClock(Date.now() - Date.UTC(2026, 0, 1))
    snapshots = new SnapshotStore({ servedBackends: () => new Map() })
    secrets = new TlsSecrets({
      listed: { get: (key) => listed.get(key) },
      named: {
        want: (refs) => {
          wanted = refs
        },
        look: (ref) => named.get(keyOf(ref)) ?? { kind: 'unread' },
      },
      snapshots,
      loop: { markDirty: (change) => void marked.push(change) },
      graceMs: DAY_MS,
      clock,
      timers: clock,
    })
  })

  afterEach(() => {
    secrets.stop()
    expect(clock.pending()).to.deep.equal([])
  })

  function list(object: DataObject | undefined): void {
    if (object) listed.set(KEY, object)
    else listed.delete(KEY)
    secrets.look(KEY)
  }

  function find(look: WantedLook): void {
    named.set(KEY, look)
    secrets.look(KEY)
  }

  function held() {
    const found = snapshots.snapshot().tlsSecrets.get(KEY)
    return found && { current: found.current, isOpaque: found.isOpaque, lastGood: found.lastGood }
  }

  function good(chain: KeyPair): void {
    expect(held()?.current).to.have.nested.property('value.chain', chain.cert)
    expect(held()?.lastGood).to.equal(undefined)
  }

  function bad(error: string, lastGood: KeyPair | undefined): void {
    expect(held()?.current).to.deep.equal({ ok: false, error })
    expect(held()?.lastGood?.chain).to.equal(lastGood?.cert)
  }

  it('has the pair of a listed Secret before anybody uses it, and marks nothing dirty for it', () => {
    list(pair(first))
    good(first)
    expect(marked).to.deep.equal([])
    expect(wanted).to.deep.equal([])
  })

  it('parses a version once, however often it is looked at, and not where only metadata changed', () => {
    list(pair(first))
    const found = snapshots.snapshot().tlsSecrets.get(KEY)
    const current = found?.current
    expect(found?.current).to.equal(current)
    const touched = pair(first)
    list({ ...touched, metadata: { ...touched.metadata, resourceVersion: '99' } })
    expect(snapshots.snapshot().tlsSecrets.get(KEY)).to.equal(found)
  })

  it('R30-2: reads by name what no list delivers, and no longer once a list does', () => {
    secrets.use(new Set([KEY]))
    expect(wanted).to.deep.equal([{ kind: 'Secret', namespace: 'shop', name: 'tls' }])
    expect(held()).to.equal(undefined)
    find({ kind: 'missing' })
    bad('does not exist', undefined)
    list(pair(first))
    good(first)
    expect(wanted).to.deep.equal([])
    expect(marked).to.have.length(2)
  })

  it('R21-10: takes an Opaque Secret with the same keys, and no other type', () => {
    secrets.use(new Set([KEY]))
    find({ kind: 'object', object: pair(first, 'Opaque') })
    good(first)
    expect(held()?.isOpaque).to.equal(true)
    find({ kind: 'object', object: pair(first, 'helm.sh/release.v1') })
    bad('is not of the type kubernetes.io/tls', first)
  })

  it('R21-13: says what is wrong with one, and never what it holds', () => {
    secrets.use(new Set([KEY]))
    const type = 'kubernetes.io/tls'
    const rows: readonly (readonly [DataObject, string])[] = [
      [secret(KEY, { 'tls.key': first.key }, type), 'has no tls.crt'],
      [secret(KEY, { 'tls.crt': first.cert }, type), 'has no tls.key'],
      [secret(KEY, { 'tls.crt': 'x', 'tls.key': first.key }, type), 'has no certificate'],
      [pair({ cert: first.cert, key: second.key }), 'has a key that does not belong to the certificate'],
    ]
    for (const [object, problem] of rows) {
      list(object)
      bad(problem, undefined)
    }
    find({ kind: 'forbidden' })
    list(undefined)
    bad('may not be read', undefined)
  })

  it('R21-14: a rotation to bad material keeps the last good pair, for as long as it takes', () => {
    list(pair(first))
    secrets.use(new Set([KEY]))
    list(secret(KEY, {}, 'kubernetes.io/tls'))
    bad('has no tls.crt', first)
    list(secret(KEY, { 'tls.crt': 'worse' }, 'kubernetes.io/tls'))
    bad('has no tls.key', first)
    clock.advance(100 * DAY_MS)
    bad('has no tls.key', first)
    list(pair(second))
    good(second)
    list(secret(KEY, {}, 'kubernetes.io/tls'))
    bad('has no tls.crt', second)
  })

  it('R21-14: a deleted Secret keeps its pair until the grace ends', () => {
    list(pair(first))
    secrets.use(new Set([KEY]))
    list(undefined)
    good(first)
    expect(wanted).to.have.length(1)
    find({ kind: 'missing' })
    bad('does not exist', first)
    const before = marked.length
    clock.advance(DAY_MS - HOUR_MS)
    bad('does not exist', first)
    clock.advance(HOUR_MS)
    bad('does not exist', undefined)
    expect(marked).to.have.length(before + 1)
  })

  it('R21-14: and the grace begins once, whatever is found out about the Secret meanwhile', () => {
    list(pair(first))
    secrets.use(new Set([KEY]))
    list(undefined)
    find({ kind: 'missing' })
    clock.advance(DAY_MS - HOUR_MS)
    find({ kind: 'forbidden' })
    bad('may not be read', first)
    clock.advance(HOUR_MS)
    bad('may not be read', undefined)
  })

  it('R21-14: and no longer than the pair is valid', () => {
    list(pair(first))
    secrets.use(new Set([KEY]))
    clock.advance(90 * DAY_MS - 2 * HOUR_MS)
    list(undefined)
    find({ kind: 'missing' })
    bad('does not exist', first)
    clock.advance(3 * HOUR_MS)
    bad('does not exist', undefined)
  })

  it('a Secret that comes back within the grace serves, and its next deletion has a grace of its own', () => {
    list(pair(first))
    secrets.use(new Set([KEY]))
    list(undefined)
    find({ kind: 'missing' })
    clock.advance(DAY_MS - HOUR_MS)
    list(pair(second))
    good(second)
    clock.advance(2 * HOUR_MS)
    good(second)
    list(undefined)
    clock.advance(DAY_MS - HOUR_MS)
    bad('does not exist', second)
  })

  it('keeps nothing of what nobody uses: what is remembered is bounded by what Ingresses name', () => {
    list(pair(first))
    list(secret(KEY, {}, 'kubernetes.io/tls'))
    bad('has no tls.crt', undefined)
    secrets.use(new Set([KEY]))
    list(pair(first))
    list(undefined)
    find({ kind: 'missing' })
    bad('does not exist', first)
    secrets.use(new Set())
    expect(held()).to.equal(undefined)
    expect(clock.pending()).to.deep.equal([])
    secrets.use(new Set([KEY]))
    bad('does not exist', undefined)
  })
})
