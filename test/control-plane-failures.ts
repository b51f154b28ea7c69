// The failures of the control plane that Ramjet is built for, and the tests that make them happen (70).

/** How a failure is made. */
export type Means =
  /** An API server and an etcd as they are released. */
  | 'real'
  /** The same behind a proxy that breaks what passes. */
  | 'proxy'
  /** A stand-in, where the real one cannot be made to fail that way. */
  | 'stand-in'

export interface Proof {
  readonly file: string
  /** Part of the test's title. */
  readonly title: string
  readonly means: Means
}

export interface Failure {
  /** `R70-80` and so on. */
  readonly rule: string
  readonly failure: string
  readonly behaviour: string
  readonly proofs: readonly Proof[]
  /** What is not in this build yet; such a row may have no proof. */
  readonly waitsFor?: { readonly feature: string; readonly flag?: string; readonly annotation?: string }
}

const real = (file: string, title: string): Proof => ({ file: `test/cluster/${file}.test.ts`, title, means: 'real' })
const proxy = (file: string, title: string): Proof => ({ file: `test/cluster/${file}.test.ts`, title, means: 'proxy' })
const standIn = (file: string, title: string): Proof => ({ file: `test/${file}.test.ts`, title, means: 'stand-in' })

const PROMOTION = { feature: 'automatic promotion', annotation: 'auto-promote' } as const

export const FAILURES: readonly Failure[] = [
  {
    rule: 'R70-80',
    failure: 'The API server is gone.',
    behaviour: 'What serves goes on serving, a ready pod stays ready, reading is tried again with back-off.',
    proofs: [
      proxy('api-server-gone', 'for a minute under traffic costs no answer'),
      proxy('readiness', 'stays 200, and traffic goes on, when the API server is lost'),
    ],
  },
  {
    rule: 'R70-81',
    failure: 'A pod starts while the API server is gone.',
    behaviour: 'It is not ready and opens no traffic port; it serves as soon as the API server answers.',
    proofs: [
      proxy('api-server-gone', 'a pod that starts then waits'),
      proxy('api-refusals', 'at the start of a pod keeps it unready'),
    ],
  },
  {
    rule: 'R70-82',
    failure: 'A watch falls silent and is not ended.',
    behaviour: 'It is taken for dead after its time, and read on from the last version.',
    proofs: [proxy('watch-faults', 'is taken for dead after its time')],
  },
  {
    rule: 'R70-83',
    failure: 'A version has expired: 410, as an answer or as an event.',
    behaviour: 'The kind is listed anew and replaced whole; what differs becomes events.',
    proofs: [real('many-objects', 'and a version that expired in a gap are listed anew')],
  },
  {
    rule: 'R70-84',
    failure: '410 between two pages of a list.',
    behaviour: 'The half list is thrown away and begun anew; nothing is ever replaced in part.',
    proofs: [real('many-objects', 'lose none while a list of them breaks off in its second page')],
  },
  {
    rule: 'R70-85',
    failure: 'etcd was restored, and versions go backwards.',
    behaviour: 'The older state is served, and that is told loudly.',
    proofs: [
      real('restored-etcd', 'is served as it is, also where that is older'),
      standIn('runtime/reflector', 'its version may be of the future'),
    ],
  },
  {
    rule: 'R70-86',
    failure: 'A watch loses events.',
    behaviour: 'The safety relist finds what was missed; where nothing was, nothing is published.',
    proofs: [
      proxy('watch-faults', 'is mended by the safety relist'),
      proxy('watch-faults', 'never publishes for a relist'),
    ],
  },
  {
    rule: 'R70-87',
    failure: 'An object is deleted and made anew while nobody looks.',
    behaviour: 'It is a removal and an addition, since it has another UID.',
    proofs: [proxy('api-server-gone', 'no second life of an object')],
  },
  {
    rule: 'R70-88',
    failure: 'The clocks of two pods differ.',
    behaviour: 'A lease is judged by the own monotonic time since it was seen to change.',
    proofs: [
      real('one-writer', 'whatever clocks say and whoever is stopped'),
      standIn('runtime/leader-election', 'and not before (R30-43)'),
    ],
  },
  {
    rule: 'R70-89',
    failure: 'The lease is lost during a write.',
    behaviour: 'The write is aborted or refused by its version; its outcome is read anew.',
    proofs: [
      standIn('runtime/leader-election', 'what came of the write is read'),
      standIn('controllers/tenure', 'the write in hand is cut, and nothing follows'),
      real('partition', 'another one writes, and it follows that one when it is back'),
    ],
  },
  {
    rule: 'R70-90',
    failure: 'A leader is stopped for longer than its lease.',
    behaviour: 'Directly before each write its time is checked, so it writes nothing any more.',
    proofs: [
      real('one-writer', 'whatever clocks say and whoever is stopped'),
      real('writing', 'never have two writers where one was stopped beyond its lease'),
      standIn('runtime/leader-election', 'the check alone sees that time is up'),
    ],
  },
  {
    rule: 'R70-91',
    failure: 'Two installations in one namespace.',
    behaviour: 'Their leases have different names.',
    proofs: [standIn('controllers/lease-name', 'has another name for another controller')],
  },
  {
    rule: 'R70-92',
    failure: 'The main thread is busy when the lease is to be renewed.',
    behaviour: 'Traffic is in other threads; the check before each write covers the rest.',
    proofs: [standIn('runtime/leader-election', 'the check alone sees that time is up')],
  },
  {
    rule: 'R70-93',
    failure: 'A TLS Secret is deleted or broken.',
    behaviour:
      'The last good certificate serves on, at most until the grace ends where it is deleted; then the name gets the answer of an unknown one. Plain HTTP and all other names notice nothing.',
    proofs: [
      real('certificates', 'one that breaks then serves its last good pair'),
      real('certificates', 'one that is deleted serves until the grace ends'),
      real('certificates', 'until then plain HTTP and every other name are'),
      standIn('controllers/tls-secrets', 'a deleted Secret keeps its pair until the grace ends'),
    ],
  },
  {
    rule: 'R70-94',
    failure: 'A Secret that guards access is deleted.',
    behaviour: 'What it guards answers 503.',
    proofs: [],
    waitsFor: { feature: 'authentication', annotation: 'auth-secret' },
  },
  {
    rule: 'R70-95',
    failure: 'An Ingress changes its class, away from us or to us.',
    behaviour: 'Away, its routes go at once and its address with them; to us, it is served.',
    proofs: [
      real('claiming', 'adds and removes routes when an edit changes the class'),
      real('writing', "loses the address when the Ingress is nobody's any more"),
      standIn('controllers/cluster-writer', 'leaves the address of an Ingress that another class has now'),
    ],
  },
  {
    rule: 'R70-96',
    failure: 'An IngressClass is deleted, or becomes the default.',
    behaviour: 'Every Ingress that depends on it is judged again.',
    proofs: [
      real('claiming', 'adds and removes routes when the class appears and vanishes'),
      real('claiming', 'takes an Ingress without a class once a class of ours is the default'),
    ],
  },
  {
    rule: 'R70-97',
    failure: 'Thousands of objects at the start of a pod.',
    behaviour: 'It is not ready before all of them are served by every worker.',
    proofs: [real('many-objects', 'are all served from the first moment that a pod is ready')],
  },
  {
    rule: 'R70-98',
    failure: 'A namespace is being deleted.',
    behaviour: 'Routes follow the deletions; what may not be made any more is not tried again.',
    proofs: [real('terminating-namespace', 'nothing is asked twice that it forbids')],
  },
  {
    rule: 'R70-99',
    failure: 'A permission is missing.',
    behaviour:
      'Without a required one the pod is not ready and names it; others are done without. Granted later, it is taken up.',
    proofs: [
      real('identity', 'keeps Ramjet unready without'),
      real('identity', 'heals without a restart when the rows are granted'),
      real('api-refusals', 'costs nothing that was read, is told, and is taken up when it is back'),
    ],
  },
  {
    rule: 'R70-100',
    failure: 'A CRD is missing, or is removed later.',
    behaviour:
      'It is asked for again each minute; the objects of one that was removed serve on for a while, and that is told.',
    proofs: [
      proxy('api-refusals', 'keeps a pod that starts unready, by name, until it is served'),
      proxy('api-refusals', 'any more keeps what was read of it, and is read again when it is back'),
      real('class-parameters', 'served once it is installed, and its objects outlive it for a while'),
    ],
  },
  {
    rule: 'R70-101',
    failure: 'Events may not be written, or too many are.',
    behaviour: 'They are dropped and counted; nothing waits for them.',
    proofs: [
      real('writing-permissions', 'does without what the row says, serves on'),
      real('terminating-namespace', 'nothing is asked twice that it forbids'),
      standIn('runtime/event-recorder', 'and goes on with the next (R70-101)'),
      standIn('runtime/event-recorder', 'holds so many and drops what comes above, counted'),
    ],
  },
  {
    rule: 'R70-102',
    failure: 'Somebody else takes back what we wrote.',
    behaviour: 'There is no fight: it is written again with the next change, and after three times no more.',
    proofs: [
      real('writing', 'is given up against somebody who takes it back three times'),
      standIn('controllers/tenure', 'gives in to who strips the number three times'),
    ],
  },
  {
    rule: 'R70-103',
    failure: 'A storm of changes.',
    behaviour: 'Writes are made only where something differs, one an object and second, within a common limit.',
    proofs: [
      real('many-writes', 'is written as fast as configured and no faster'),
      standIn('controllers/write-queue', 'is written to once however often it was added'),
    ],
  },
  {
    rule: 'R70-104',
    failure: 'The API server answers 429.',
    behaviour:
      'It is asked again when it said, by one request a kind; watches and renewals have their own connections.',
    proofs: [
      proxy('api-refusals', 'by 429 is asked again when it said'),
      standIn('runtime/client', 'has a connection of its own, so that calls go on beside it'),
    ],
  },
  {
    rule: 'R70-105',
    failure: 'One object of a list cannot be read.',
    behaviour: 'It is skipped and told; the others serve.',
    proofs: [standIn('runtime/informer', 'skips a malformed object of a list')],
  },
  {
    rule: 'R70-106',
    failure: 'The token expires, or the CA of the API server changes.',
    behaviour: 'Both files are read again, and connections are made anew.',
    proofs: [
      real('api-refusals', 'is read anew from its file after a 401'),
      standIn('runtime/client', 'trusts the CA of the access alone, and connects anew when it changes'),
    ],
  },
  {
    rule: 'R70-107',
    failure: 'A promotion has no figures to judge by.',
    behaviour: 'It waits.',
    proofs: [],
    waitsFor: PROMOTION,
  },
  {
    rule: 'R70-108',
    failure: 'SIGTERM during a promotion.',
    behaviour: 'The write in hand is finished or given up, then the lease is given back.',
    proofs: [],
    waitsFor: PROMOTION,
  },
  {
    rule: 'R70-109',
    failure: 'A worker refuses a generation.',
    behaviour: 'The last good one serves everywhere, with live endpoints.',
    proofs: [
      standIn('dataplane/worker-faults', 'the last good pair stays everywhere'),
      standIn('generations/publish-numbers', 'its number where the workers refuse the new one: what serves is kept'),
    ],
  },
  {
    rule: 'R70-110',
    failure: 'The process is killed at any moment.',
    behaviour: 'A restart mends whatever it left.',
    proofs: [real('writing', 'is mended after a kill at any point of writing')],
  },
]
