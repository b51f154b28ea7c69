import { expect } from 'chai'
import { compileProgram } from '../../src/lib/regex.ts'
import { classifyBytes } from '../../src/lib/regex-classes.ts'
import { isDead, NO_ROOM, States, stateOf, UNKNOWN, workOf } from '../../src/lib/regex-states.ts'
import { Stepper } from '../../src/lib/regex-stepper.ts'

const HOSTILE = ['/.*a.{40}c', '/.*b.{50}d']

interface Filled {
  readonly count: number
  readonly bytes: number
}

/** Steps over a scattered text and enters each state that it comes to, until there is no room. */
function fill(maxBytes: number): Filled {
  const program = compileProgram(HOSTILE)
  const classes = classifyBytes(program)
  const stepper = new Stepper(program, classes)
  const states = new States(classes.count, maxBytes)
  const known = new Set<number>()
  let random = 1
  stepper.begin()
  stepper.step(classes.of[0x2f] ?? 0)
  for (let state = states.enter(stepper); state !== NO_ROOM; state = states.enter(stepper)) {
    known.add(state)
    random = (Math.imul(random, 1_103_515_245) + 12_345) & 0x7fff_ffff
    stepper.step(classes.of['ab'.charCodeAt((random >> 16) % 2)] ?? 0)
  }
  return { count: known.size, bytes: states.bytes }
}

describe('the states of a regex set', () => {
  for (const maxBytes of [8192, 65_536, 262_144]) {
    it(`stay within ${maxBytes} bytes, and make use of them (R85-44)`, () => {
      const { bytes, count } = fill(maxBytes)
      expect(bytes).to.be.within(maxBytes / 3, maxBytes)
      expect(count).to.be.above(maxBytes / 1024)
    })
  }

  it('are none where there is no memory for one', () => {
    expect(fill(0).count).to.equal(0)
  })

  it('are found again, restored, and lead on where they were noted to lead', () => {
    const program = compileProgram(['/a\\b', '/ab+c'])
    const classes = classifyBytes(program)
    const [stepper, other] = [new Stepper(program, classes), new Stepper(program, classes)]
    const states = new States(classes.count, 65_536)
    const classOf = (letter: string): number => classes.of[letter.charCodeAt(0)] ?? 0
    stepper.begin()
    const start = states.enter(stepper)
    expect(states.exit(start, classOf('/'))).to.equal(UNKNOWN)
    stepper.step(classOf('/'))
    const second = states.enter(stepper)
    const exit = states.noteExit(start, classOf('/'), second, stepper.visited)
    expect(states.exit(start, classOf('/'))).to.equal(exit)
    expect([stateOf(exit), workOf(exit), isDead(exit)]).to.deep.equal([second, stepper.visited, false])
    states.restore(other, second)
    expect(states.enter(other)).to.equal(second)
    stepper.step(classOf('x'))
    const dead = states.enter(stepper)
    expect(isDead(states.noteExit(second, classOf('x'), dead, stepper.visited))).to.equal(true)
    expect(states.isDead(dead)).to.equal(true)
  })

  it('differ by what stands before the place alone', () => {
    const program = compileProgram(['/.*\\bx'])
    const classes = classifyBytes(program)
    const stepper = new Stepper(program, classes)
    const states = new States(classes.count, 65_536)
    const stateAfter = (text: string): number => {
      stepper.begin()
      for (const letter of text) stepper.step(classes.of[letter.charCodeAt(0)] ?? 0)
      return states.enter(stepper)
    }
    expect(stateAfter('/a')).to.equal(stateAfter('/b'))
    expect(stateAfter('/a')).to.not.equal(stateAfter('/-'))
  })
})
