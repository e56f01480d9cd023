import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { join } from 'node:path'
import { keyIdOf, sealEnvelope, statementText } from '../audit/envelope.ts'
import type { Environment } from '../config/config.ts'
import { BatonError } from '../domain/errors.ts'
import type { AgentKey, AgentKeys } from '../service/agents/signature.ts'
import { nodeSha256 } from '../service/audit/hashes.ts'
import { parseKey, readOwn, writeOwn } from './home-files.ts'

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
    const text = readOwn(file, uid, true)
    return text === undefined ? undefined : toAgentKey(text, file)
  }
  return {
    key,
    async makeKey(origin, agent, { replace = false } = {}) {
      const known = replace ? undefined : await key(origin, agent)
      if (known) return known
      const { privateKey } = generateKeyPairSync('ed25519')
      const file = fileOf(origin, agent)
      const text = String(privateKey.export({ type: 'pkcs8', format: 'pem' }))
      // One that is there stays, unless it is to be replaced: whoever was first has made it.
      writeOwn(file, text, !replace)
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
  const id = keyIdOf(nodeSha256, bytes)
  return {
    id,
    public: bytes.toString('base64'),
    file,
    attest: (subject, predicate) =>
      sealEnvelope(statementText(subject, predicate), id, (message) => sign(null, message, key)),
  }
}
