// PROJECT is read by kubebuilder's tools; here its rows are held against the kinds that are watched (R50-46).
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { load } from 'js-yaml'
import { readCrds } from '../hack/types/crd.ts'
import * as kinds from '../src/controllers/kinds.ts'

interface ProjectRow {
  readonly controller: boolean
  readonly core?: boolean
  readonly domain?: string
  readonly external?: boolean
  /** Absent where the domain is the whole group. */
  readonly group?: string
  /** Where the kind is ours. */
  readonly api?: { readonly crdVersion: string }
  readonly kind: string
  readonly version: string
}

const project = load(readFileSync(join(import.meta.dirname, '../PROJECT'), 'utf8')) as {
  readonly domain: string
  readonly layout: readonly string[]
  readonly projectName: string
  readonly resources: readonly ProjectRow[]
  readonly version: string
}

function nameOf({ group, kind, version, domain, core }: ProjectRow): string {
  const whole = [group, domain].filter((part) => part !== undefined).join('.')
  return core === true ? `${version} ${kind}` : `${whole}/${version} ${kind}`
}

describe('PROJECT', () => {
  it('is of version 3, with our domain and a layout', () => {
    expect(project).to.include({ version: '3', domain: 'ramjet.dev', projectName: 'ramjet' })
    expect(project.layout).to.have.length(1)
  })

  it('has one row for each kind that is watched', () => {
    const watched = Object.values(kinds).map(({ group, version, kind }) =>
      group === '' ? `${version} ${kind}` : `${group}/${version} ${kind}`,
    )
    expect(project.resources.map(nameOf)).to.have.members(watched)
  })

  it('says of those that crds/ defines that they are ours, and of no other', () => {
    const ours = project.resources.filter(({ core, external }) => core !== true && external !== true)
    expect(ours.map(({ kind }) => kind)).to.deep.equal(readCrds().map(({ kind }) => kind))
    for (const { api } of ours) expect(api?.crdVersion).to.equal('v1')
  })
})
