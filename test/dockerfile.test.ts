// The image cannot be built where tests run, so its recipe is read: stages, user, and an entry point that exists.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'

const ROOT = join(import.meta.dirname, '..')

interface Instruction {
  readonly name: string
  readonly value: string
}

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8')
}

/** The instructions in order; comments are left out, continued lines are joined. */
function parseDockerfile(text: string): readonly Instruction[] {
  const lines = text.replaceAll(/^\s*#.*$/gm, '').replaceAll(/\\\n/g, ' ')
  return lines
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name = '', value = ''] = /^([A-Z]+)\s+(.+)$/.exec(line.trim()) ?? []
      return { name, value }
    })
}

const instructions = parseDockerfile(read('Dockerfile'))
const values = (name: string): readonly string[] =>
  instructions.filter((instruction) => instruction.name === name).map(({ value }) => value)
const lastStage = instructions.slice(instructions.findLastIndex(({ name }) => name === 'FROM'))
const inLastStage = (name: string): readonly string[] =>
  lastStage.filter((instruction) => instruction.name === name).map(({ value }) => value)

describe('Dockerfile', () => {
  it('has a known word on every line', () => {
    const known = ['ARG', 'COPY', 'ENTRYPOINT', 'ENV', 'EXPOSE', 'FROM', 'RUN', 'STOPSIGNAL', 'USER', 'WORKDIR']
    for (const { name, value } of instructions) expect(known, value).to.include(name)
  })

  it('has two stages, whose images are arguments', () => {
    expect(values('FROM')).to.deep.equal([`\${BUILD_IMAGE} AS build`, `\${RUNTIME_IMAGE}`])
    const names = values('ARG').map((value) => value.split('=')[0])
    expect(names).to.deep.equal(['NODE_MAJOR', 'BUILD_IMAGE', 'RUNTIME_IMAGE'])
  })

  it('takes the Node major that is developed with, in both stages', () => {
    const packages = JSON.parse(read('package.json')) as { optionalDependencies: Record<string, string> }
    const majors = Object.values(packages.optionalDependencies).map((version) => version.split('.')[0])
    const [argument, ...images] = values('ARG')
    expect(majors.map((major) => `NODE_MAJOR=${major}`)).to.deep.equal(majors.map(() => argument))
    for (const image of images) expect(image).to.include(`\${NODE_MAJOR}`)
  })

  it('installs what the lock file says and runs no install script', () => {
    expect(values('RUN')[0]).to.equal('npm ci')
    expect(values('COPY')[0]).to.include('.npmrc')
    expect(read('.npmrc')).to.include('ignore-scripts=true')
  })

  it('runs as a user that is not root, by number', () => {
    expect(inLastStage('USER')).to.deep.equal(['65532:65532'])
  })

  it('has no shell and no build step in the last stage', () => {
    expect(inLastStage('RUN')).to.deep.equal([])
  })

  it('starts what the build emits for src/main.ts', () => {
    const entry = JSON.parse(inLastStage('ENTRYPOINT')[0] ?? '[]') as readonly string[]
    const { compilerOptions } = JSON.parse(read('tsconfig.json')) as {
      compilerOptions: { outDir: string; rootDir: string }
    }
    expect(compilerOptions).to.include({ outDir: 'dist', rootDir: 'src' })
    expect(inLastStage('WORKDIR')).to.deep.equal(['/app'])
    expect(inLastStage('COPY')).to.include('--from=build /build/dist ./dist')
    expect(entry.at(-1)).to.equal('/app/dist/main.js')
    expect(read('src/main.ts')).to.not.equal('')
  })

  it('copies nothing into the build that .dockerignore leaves out', () => {
    const admitted = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1))
    const fromOutside = values('COPY').filter((value) => !value.startsWith('--from='))
    const copied = fromOutside.flatMap((value) => value.split(' ').slice(0, -1))
    expect(copied).to.have.members(admitted)
  })
})
