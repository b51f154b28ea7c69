import { expect } from 'chai'
import type { Echo } from '../../hack/cluster/echo-server.ts'
import { proxyV1 } from '../builders/proxy-header.ts'
import { ENGINES_ONCE, flagsOf } from '../dataplane/engines-under-test.ts'
import { eventually } from './support/eventually.ts'
import { HTTP_PORT } from './support/ramjet.ts'
import { sendRaw } from './support/raw.ts'
import { scene } from './support/scene.ts'

for (const served of ENGINES_ONCE) {
  describe(`the PROXY protocol in a cluster with ${served.title}`, () => {
    const stage = scene({ flags: ['--proxy-protocol', ...flagsOf(served)] })

    it('reaches the pod, refuses who sends no header, and is not asked of probes (R20-165)', async () => {
      const { ramjet, namespace } = stage
      const host = namespace.host('shop')
      const place = { address: ramjet.address, port: HTTP_PORT }
      const request = `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
      await namespace.service('web')
      await namespace.ingress('shop', { [host]: { '/': 'web' } })

      const answer = await eventually(async () => {
        const text = await sendRaw(place, proxyV1('198.51.100.7', 443).toString('latin1') + request)
        expect(text).to.match(/^HTTP\/1\.1 200 /)
        return text
      })
      const [body = ''] = /\{"pod".*\}/.exec(answer) ?? []
      const { headers } = JSON.parse(body) as Echo
      const told = new Map(headers.map(([name, value]) => [name.toLowerCase(), value]))
      expect(told.get('x-forwarded-for')).to.equal('198.51.100.7')
      expect(told.get('x-real-ip')).to.equal('198.51.100.7')
      expect(told.get('x-forwarded-port')).to.equal('443')

      expect(await sendRaw(place, request)).to.equal('')
      expect((await ramjet.readiness()).status).to.equal(200)
      expect(await ramjet.metric('ramjet_proxy_protocol_failures_total{reason="missing"}')).to.equal(1)
    })
  })
}
