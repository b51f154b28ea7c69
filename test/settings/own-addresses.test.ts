import { expect } from 'chai'
import { ownAddresses } from '../../src/settings/own-addresses.ts'

describe('ownAddresses (R20-184)', () => {
  it('has this machine, this pod and its node, each with the port', () => {
    const found = ownAddresses(10_254, { POD_IP: '2001:db8::7', HOST_IP: '192.0.2.9' })
    expect(found).to.include('127.0.0.1:10254')
    expect(found).to.include('[2001:db8::7]:10254')
    expect(found).to.include('192.0.2.9:10254')
  })

  it('leaves out what is no address', () => {
    const found = ownAddresses(1, { POD_IP: 'pod', HOST_IP: '' })
    expect(found).not.to.include('pod:1')
    expect(found).not.to.include(':1')
  })
})
