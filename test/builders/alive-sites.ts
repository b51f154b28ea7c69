// Which sites a request may meet, by when it was asked and when it was answered.
import { answersOf, type Dice, SITE_PATHS, type Site } from './random-site.ts'

export interface SiteQuestion {
  readonly host: string
  readonly path: string
  /** What is wrong with what came; `undefined`: it is an answer of a site that was alive in between. */
  judge(got: string): string | undefined
}

/** Published sites, oldest first: one is alive from when its publish begins until that of a later one has ended. */
export class AliveSites {
  readonly #sites: Site[]
  #served = 0
  #asked = 0

  constructor(first: Site) {
    this.#sites = [first]
  }

  /** That which was published last, whether or not it serves already. */
  get newest(): Site {
    const newest = this.#sites.at(-1)
    if (!newest) throw new TypeError('there is one from the start')
    return newest
  }

  /** The publish of `site` begins. */
  publishing(site: Site): void {
    this.#sites.push(site)
  }

  /** The publish of the newest has ended. */
  served(): void {
    this.#served = this.#sites.length - 1
  }

  /** A request to begin now, for what is there, or was until lately. `got` is `NAME TARGET` of an origin, or a status. */
  ask(dice: Dice): SiteQuestion {
    const oldest = this.#served
    const known = this.#sites[Math.max(0, this.#sites.length - 1 - Math.floor(dice.point() * LATELY))] ?? this.newest
    const host = dice.pick([...known.hosts.keys()])
    const path = dice.pick(SITE_PATHS)
    this.#asked += 1
    const target = `${path}?${this.#asked}`
    return {
      host,
      path: target,
      judge: (got) => {
        const [name = '', answered = target] = got.split(' ')
        if (answered !== target) return `${host}${target} got the answer to ${answered}`
        const isRight = this.#sites.slice(oldest).some((site) => answersOf(site, host, path).has(name))
        return isRight
          ? undefined
          : `${host}${path} got ${got}, which no site said from ${oldest} to ${this.#sites.length - 1}`
      },
    }
  }
}

/** So many sites back a host is still asked for. */
const LATELY = 5
