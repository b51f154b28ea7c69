import { expect } from 'chai'
import { FLAGS, twinOf } from '../../src/settings/flags.ts'
import { helpText } from '../../src/settings/help.ts'
import { readSettings } from '../../src/settings/parse.ts'
import { specifiedFlags } from './flag-rows.ts'

/** What acts in this build; everything else is refused by name (R33-19). */
const BUILT = [
  '--static-routes --config --engine --transport --transport-strict --workers --kinds --help --version --ingress-class --controller-name',
  '--watch-ingress-without-class --watch-namespace --namespace-selector --default-backend --allow-external-name --kubeconfig --context --kube-apiserver',
  '--publish-service --publish-address --observed-generation --no-status-update --update-status-on-shutdown --read-only --leader-elect',
  '--leader-elect-duration --leader-elect-renew --leader-elect-retry --leader-elect-lease-name --leader-elect-namespace',
  '--service-account-dir --watch-timeout --resync-period --http --public-http-port --trusted-proxies --proxy-protocol --proxy-protocol-from --proxy-protocol-timeout --underscore-headers --encoded-slash',
  '--header-timeout --body-timeout --min-body-rate --send-timeout --keepalive-timeout --keepalive-requests --max-target-size',
  '--max-header-size --max-headers --max-body-size --max-connections --tunnel-idle-timeout --response-timeout',
  '--max-response-header-size --max-response-headers --retry-buffer --upstream-pool-idle --upstream-idle-timeout --upstream-h2-sessions --fail-timeout --buffer-budget',
  '--connection-buffer --shutdown-delay --shutdown-grace --connect-timeout --max-connect-attempts --debounce-min',
  '--https --no-http --no-https --public-https-port --default-tls-secret --self-signed-default --tls-min-version',
  '--tls-handshake-timeout --ticket-key-secret --certificate-grace --no-h2 --h2-max-streams --h2-max-headers',
  '--h2-max-resets --h2-max-control-frames --h2-flood-bytes --h2-max-age',
  '--debounce --history-size --audit-webhook --log-level --log-format --admin --no-admin --admin-protect --admin-token-file --admin-service',
].flatMap((line) => line.split(' '))

function faultsOf(argv: readonly string[], env: Readonly<Record<string, string>> = {}): readonly string[] {
  const result = readSettings(argv, env, 2)
  return result.ok ? [] : result.error
}

describe('the table of flags (R33-13)', () => {
  it('has every flag, in order, with its group, variable, default and unit', () => {
    const rows = FLAGS.map((flag) => ({
      group: flag.group,
      name: flag.name,
      twin: twinOf(flag),
      default: flag.default,
      bareSeconds: flag.type.kind === 'duration' && flag.type.bareSeconds,
    }))
    expect(rows).to.deep.equal(specifiedFlags())
  })

  it('says what is built', () => {
    const built = FLAGS.filter((flag) => flag.built).map(({ name }) => name)
    expect(built).to.have.members(BUILT)
  })

  for (const flag of FLAGS.filter(({ built }) => !built)) {
    const value = flag.type.kind === 'switch' || flag.type.kind === 'boolean' ? [] : ['1s']
    it(`refuses ${flag.name} and its variable as not in this build`, () => {
      expect(faultsOf([flag.name, ...value])).to.deep.equal([`${flag.name}: not in this build`])
      const twin = twinOf(flag)
      if (twin !== undefined) expect(faultsOf([], { [twin]: '1s' })).to.deep.equal([`${twin}: not in this build`])
    })
  }
})

describe('--help', () => {
  const help = helpText()

  for (const flag of FLAGS) {
    it(`${flag.built ? 'shows' : 'does not name'} ${flag.name}`, () => {
      const entry = new RegExp(`^ {2}${flag.name}( .*)?\\n {6}(.*)(\\n {6}.*)?`, 'm').exec(help)
      if (!flag.built) {
        expect(help).not.to.match(new RegExp(`${flag.name}(?![\\w-])`))
        return
      }
      expect(entry?.[2]).to.equal(flag.help)
      const facts = entry?.[3] ?? ''
      const twin = twinOf(flag)
      if (twin !== undefined) expect(facts).to.include(`[${twin}]`)
      if (twin !== undefined && flag.default !== 'none') expect(facts).to.include(`default: ${flag.default}`)
    })
  }

  it('fits a terminal', () => {
    expect(help.split('\n').filter((line) => line.length > 110)).to.deep.equal([])
  })
})
