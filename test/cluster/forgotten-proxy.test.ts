// A load balancer stands in front, and nobody said to trust it.
import { expect } from 'chai'
import { eventually } from './support/eventually.ts'
import type { Ramjet } from './support/ramjet.ts'
import { scene } from './support/scene.ts'

const TRAIL = { headers: { 'x-forwarded-for': '198.51.100.7' }, from: '10.244.255.7' }

async function reasons(ramjet: Ramjet): Promise<readonly string[]> {
  const { warnings } = (await ramjet.admin('/admin/warnings')) as { warnings: readonly { reason: string }[] }
  return warnings.map(({ reason }) => reason)
}

describe('a proxy in front that is not trusted', () => {
  const stage = scene()

  it('is told of once, after a hundred requests with a trail (R20-52)', async () => {
    const { ramjet, namespace } = stage
    const url = `http://${namespace.host('shop')}/`
    await namespace.service('web')
    await namespace.ingress('shop', { [namespace.host('shop')]: { '/': 'web' } })
    await ramjet.serves(url, 'web')
    for (let at = 0; at < 100; at += 1) expect((await ramjet.get(url, TRAIL)).from).to.equal('web-1')
    expect(await reasons(ramjet)).to.not.include('UntrustedForwardedFor')
    await ramjet.get(url, TRAIL)
    await eventually(async () => expect(await reasons(ramjet)).to.include('UntrustedForwardedFor'))
  })
})
