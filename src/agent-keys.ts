import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import {
  closeSync,
  fstatSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { keyIdOf, sealEnvelope, statementText } from './audit/envelope.ts'
import type { Environment } from './config.ts'
import { BatonError } from './domain/errors.ts'
import { sha256 } from './service/audit/hashing.ts'
import type { AgentKey, AgentKeys } from './service/signing.ts'

/** Keys of agents under the user's home, beside those of logs: `keys/agent-….pem`, readable by this user only. */
export function openAgentKeys({ home, uid }: Pick<Environment, 'home' | 'uid'>): AgentKeys {
  const fileOf = (origin: string, agent: string) =>
    join(
      home,
      '.baton',
      'keys',
      `agent-${agent}-${createHash('sha256').update(origin).digest('hex').slice(0, 16)}.pem`,
    )
  const key = async (origin: string, agent: string) => {
    const file = fileOf(origin, agent)
    const text = readSecret(file, uid)
    return text === undefined ? undefined : toAgentKey(text, file)
  }
  return {
    key,
    async makeKey(origin, agent, { replace = false } = {}) {
      const known = replace ? undefined : await key(origin, agent)
      if (known) return known
      const { privateKey } = generateKeyPairSync('ed25519')
      const file = fileOf(origin, agent)
      writeSecret(file, String(privateKey.export({ type: 'pkcs8', format: 'pem' })), replace)
      const made = await key(origin, agent)
      if (!made) throw new BatonError('unavailable', `the key ${file} was made and is not there`, { file })
      return made
    },
  }
}

function toAgentKey(text: string, file: string): AgentKey {
  const key = parseKey(text, file)
  const { x = '' } = key.export({ format: 'jwk' })
  const bytes = Buffer.from(x, 'base64url')
  const id = keyIdOf(sha256, bytes)
  return {
    id,
    public: bytes.toString('base64'),
    file,
    attest: (subject, predicate) =>
      sealEnvelope(statementText(subject, predicate), id, (message) => sign(null, message, key)),
  }
}

function parseKey(text: string, file: string): KeyObject {
  try {
    const key = createPrivateKey(text)
    if (key.asymmetricKeyType === 'ed25519') return key
  } catch {
    // Said below.
  }
  throw new BatonError('store_refused', `${file} is not an Ed25519 key; put the right one back from a copy`, {
    file,
  })
}

/** A key that others can read is nobody's, and one that another user put there is not this user's. */
function readSecret(file: string, uid: number | undefined): string | undefined {
  let descriptor: number
  try {
    descriptor = openSync(file, 'r')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new BatonError('not_allowed', `${file} cannot be read (${code})`, { file }, error)
  }
  try {
    const stat = fstatSync(descriptor)
    if (uid !== undefined && stat.uid !== uid) return undefined
    if ((stat.mode & 0o077) !== 0)
      throw new BatonError('not_allowed', `${file} can be read by others; first run: chmod 600 ${file}`, {
        file,
      })
    return readFileSync(descriptor, 'utf8')
  } finally {
    closeSync(descriptor)
  }
}

/** All of it or nothing. One that is there stays, unless it is to be replaced: whoever was first has made it. */
function writeSecret(file: string, text: string, replace: boolean): void {
  const draft = `${file}.${process.pid}.part`
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const descriptor = openSync(draft, 'wx', 0o600)
    try {
      writeSync(descriptor, text)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    if (replace) renameSync(draft, file)
    else linkSync(draft, file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return
    throw new BatonError(
      'unavailable',
      `${file} cannot be written (${code}); check your home folder, or set BATON_HOME to one you may write`,
      { file },
      error,
    )
  } finally {
    rmSync(draft, { force: true })
  }
}
