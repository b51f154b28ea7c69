import { expect } from 'chai'
import type { CompileSettings } from '../../src/compiler/snapshot.ts'
import { type IngressBuilder, ingress } from '../builders/ingress.ts'
import { ingressClass } from '../builders/ingress-class.ts'
import { ask, told } from './ask.ts'
import { compileCluster } from './cluster.ts'

const CLASS_KEY = 'kubernetes.io/ingress.class'
const RAMJET = ingressClass('ramjet')
const OTHER = ingressClass('other', { controller: 'example.com/other' })
const DEFAULT = ingressClass('ramjet', { isDefault: true })
const SECOND = ingressClass('second')

interface Case {
  readonly title: string
  readonly edit: (base: IngressBuilder) => IngressBuilder
  readonly classes?: readonly ReturnType<typeof ingressClass>[]
  readonly settings?: Partial<CompileSettings>
  readonly isOurs: boolean
  readonly told?: readonly string[]
}

const named = (name?: string) => (base: IngressBuilder) => base.className(name)
const annotated = (value: string, name?: string) => (base: IngressBuilder) =>
  base.className(name).annotate(CLASS_KEY, value)

const cases: readonly Case[] = [
  { title: 'R10-1: the annotation with our class name claims', edit: annotated('ramjet'), isOurs: true },
  {
    title: 'R10-1: the annotation rules over a class of somebody else',
    edit: annotated('ramjet', 'other'),
    isOurs: true,
  },
  { title: 'R10-1: another annotation rules over our class', edit: annotated('nginx', 'ramjet'), isOurs: false },
  { title: 'R10-1: the annotation is compared whole', edit: annotated(' ramjet'), isOurs: false },
  { title: 'R10-1: an empty annotation is present and not ours', edit: annotated('', 'ramjet'), isOurs: false },
  { title: 'R10-1: a class with our controller claims', edit: named('ramjet'), isOurs: true },
  { title: 'R10-1: a class of another controller is silent', edit: named('other'), isOurs: false },
  {
    title: 'R10-1: a class that does not exist is told in the log',
    edit: named('missing'),
    isOurs: false,
    told: ['UnknownIngressClass Ingress shop/web spec.ingressClassName'],
  },
  { title: 'R10-1: without a class and a default it is not ours', edit: named(), isOurs: false },
  { title: 'R10-1: without a class our default class claims', edit: named(), classes: [DEFAULT, OTHER], isOurs: true },
  {
    title: "R10-1: without a class somebody else's default does not claim",
    edit: named(),
    classes: [RAMJET, ingressClass('other', { controller: 'example.com/other', isDefault: true })],
    isOurs: false,
  },
  {
    title: 'R10-1: --watch-ingress-without-class claims what names none',
    edit: named(),
    settings: { watchIngressWithoutClass: true },
    isOurs: true,
  },
  {
    title: 'R10-3: an explicit class name narrows several classes to one',
    edit: named('second'),
    classes: [RAMJET, SECOND],
    settings: { ingressClassGiven: true },
    isOurs: false,
  },
  {
    title: 'R10-3: several classes are all ours where no name was given',
    edit: named('second'),
    classes: [RAMJET, SECOND],
    isOurs: true,
  },
  {
    title: 'R10-3: an explicit class name narrows nothing where one class is ours',
    edit: named('second'),
    classes: [SECOND],
    settings: { ingressClassGiven: true },
    isOurs: true,
  },
  {
    title: 'R10-3: narrowing takes the default away from the other classes',
    edit: named(),
    classes: [RAMJET, ingressClass('second', { isDefault: true })],
    settings: { ingressClassGiven: true },
    isOurs: false,
  },
  {
    title: 'R10-7: --controller-name decides which classes are ours',
    edit: named('other'),
    settings: { controllerName: 'example.com/other' },
    isOurs: true,
  },
  {
    title: 'R10-8: a class with parameters is not served, and class and Ingress are told',
    edit: named('tuned'),
    classes: [RAMJET, ingressClass('tuned', { hasParameters: true })],
    isOurs: false,
    told: [
      'InvalidParameters Ingress shop/web spec.ingressClassName',
      'InvalidParameters IngressClass tuned spec.parameters',
    ],
  },
  {
    title: 'R10-8: the annotation does not go round the parameters of its class',
    edit: annotated('ramjet'),
    classes: [ingressClass('ramjet', { hasParameters: true })],
    isOurs: false,
    told: [
      'InvalidParameters Ingress shop/web kubernetes.io/ingress.class',
      'InvalidParameters IngressClass ramjet spec.parameters',
    ],
  },
  {
    title: 'R10-8: parameters on a class of somebody else concern nobody',
    edit: named('ramjet'),
    classes: [RAMJET, ingressClass('other', { controller: 'example.com/other', hasParameters: true })],
    isOurs: true,
  },
]

describe('claiming an Ingress', () => {
  for (const { title, edit, classes = [RAMJET, OTHER], settings, isOurs, told: want = [] } of cases) {
    it(title, () => {
      const built = edit(ingress('shop/web').host('a.example').path('/', 'web:http'))
      const result = compileCluster({ ingresses: [built], classes }, settings)
      expect(ask(result.tables.routes, 'a.example/')).to.equal(isOurs ? 'shop/web:80' : '404 no-route')
      expect([...result.claimed]).to.deep.equal(isOurs ? ['shop/web'] : [])
      expect(told(result.warnings)).to.deep.equal(want)
    })
  }

  it('R10-5: nothing but the claim is told of an Ingress that is not ours', () => {
    const foreign = ingress('shop/web').className('other').host('a..example').free('/a(', 'nothing:1')
    expect(compileCluster({ ingresses: [foreign], classes: [RAMJET, OTHER] }).warnings).to.deep.equal([])
  })
})
