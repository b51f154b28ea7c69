// PROJECT is read by kubebuilder's tools; here its rows are held against the kinds that are watched (R50-46).
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { load } from 'js-yaml'
import * as kinds from '../src/controllers/kinds.ts'

interface ProjectRow {
  readonly controller: boolean
  readonly core?: boolean
  readonly domain?: string
  readonly external?: boolean
  readonly group: string
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
  return core === true ? `${version} ${kind}` : `${group}.${domain}/${version} ${kind}`
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

  it('says of none of them that it is ours', () => {
    for (const { core, external } of project.resources) expect(core === true || external === true).to.equal(true)
  })
})
