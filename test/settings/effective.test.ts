import { expect } from 'chai'
import { readSettings } from '../../src/settings/parse.ts'

function effective(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const request = readSettings(argv, env, 2)
  if (!request.ok || request.value.kind !== 'run') throw new Error('it does not run')
  return new Map(request.value.effective.map(({ name, ...rest }) => [name, rest]))
}

describe('effectiveFlags (R33-11)', () => {
  it('tell each value and where it comes from', () => {
    const flags = effective(['--workers', '2', '--trusted-proxies', '10.0.0.0/8', '--trusted-proxies=192.0.2.0/24'], {
      RAMJET_WORKERS: '4',
      RAMJET_DEBOUNCE: '1s',
    })
    expect(flags.get('--workers')).to.deep.equal({ value: '2', origin: 'flag' })
    expect(flags.get('--debounce')).to.deep.equal({ value: '1s', origin: 'environment' })
    expect(flags.get('--debounce-min')).to.deep.equal({ value: '10ms', origin: 'default' })
    expect(flags.get('--trusted-proxies')).to.deep.equal({ value: '10.0.0.0/8,192.0.2.0/24', origin: 'flag' })
  })

  it('hold every flag of this build, and none that is not in it', () => {
    const names = [...effective([]).keys()]
    expect(names).to.include('--history-size')
    expect(names).not.to.include.members(['--http3'])
    expect(names).not.to.include('--help')
  })
})
