// What a Secret holds for connections to a backend (R11-119, R21-31, R21-32).
import type { DataObject } from '../api/core.ts'
import { secretText } from '../api/secret-data.ts'
import { err, ok, type Result } from '../lib/result.ts'
import { countAuthorities, readKeyPair } from '../lib/x509.ts'
import type { ClientPair } from '../model/upstream-tls.ts'

export interface UpstreamMaterial {
  readonly authorities: string | undefined
  readonly clientPair: ClientPair | undefined
}

/**
 * The authorities and the client pair of a Secret, each where it has them. `verify`: without authorities nothing can be
 * verified. The error is part of a sentence: `which ...`, and holds none of the material.
 */
export function readUpstreamMaterial(
  secret: DataObject | undefined,
  { verify }: { readonly verify: boolean },
): Result<UpstreamMaterial, string> {
  if (secret === undefined) return err('does not exist')
  const authorities = secretText(secret, 'ca.crt')
  if (authorities === undefined && verify) return err('has no ca.crt to verify by')
  const count = authorities === undefined ? undefined : countAuthorities(authorities)
  if (count?.ok === false) return err(`has a ca.crt that ${count.error}`)
  const pair = readPair(secret)
  if (!pair.ok) return pair
  if (authorities === undefined && pair.value === undefined) return err('has neither ca.crt nor tls.crt and tls.key')
  return ok({ authorities, clientPair: pair.value })
}

function readPair(secret: DataObject): Result<ClientPair | undefined, string> {
  const [chain, key] = [secretText(secret, 'tls.crt'), secretText(secret, 'tls.key')]
  if (chain === undefined && key === undefined) return ok(undefined)
  if (chain === undefined || key === undefined) return err('has one of tls.crt and tls.key, and not the other')
  const facts = readKeyPair(chain, key)
  return facts.ok ? ok({ chain, key }) : err(`has a client pair that ${facts.error}`)
}
