import { encodeDisclosure } from '../audit/disclosure.ts'
import { fillRandom, sha256 } from '../crypto/crypto.ts'

/** Commits to the values of an entry: digests for the log, and the strings that open them. */
export function disclose(fields: Readonly<Record<string, unknown>>): {
  digests: Record<string, string>
  disclosures: string[]
} {
  const digests: Record<string, string> = {}
  const disclosures: string[] = []
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue
    const disclosure = encodeDisclosure(salt(), name, value)
    digests[name] = sha256(disclosure, 'base64url')
    disclosures.push(disclosure)
  }
  return { digests, disclosures }
}

const SALT_BYTES = 16
const pool = Buffer.alloc(SALT_BYTES * 256)
let next = pool.length

/** 128 random bits; taken from a pool because one call of the generator per salt costs more than the hash. */
function salt(): string {
  if (next >= pool.length) {
    fillRandom(pool)
    next = 0
  }
  const text = pool.toString('base64url', next, next + SALT_BYTES)
  next += SALT_BYTES
  return text
}
