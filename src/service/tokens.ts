import { hash, randomBytes } from 'node:crypto'
import type { Token } from '../storage/store.ts'
import { adminStream, ensureAgents } from './agents.ts'
import type { Call, ServiceDeps } from './deps.ts'
import { refuse, write } from './write.ts'

const PREFIX = 'baton_'
/** 256 bits: nobody guesses it, so a plain hash is enough to keep. */
const SECRET_BYTES = 32

/** Credentials of agents for the HTTP surface. A secret is shown once; only its hash is kept. */
export class Tokens {
  readonly #deps: ServiceDeps

  constructor(deps: ServiceDeps) {
    this.#deps = deps
  }

  async create(
    call: Call,
    input: {
      readonly agent: string
      readonly scopes: readonly string[]
      readonly expires_at?: string | undefined
    },
  ): Promise<{ readonly token: Token; readonly secret: string }> {
    await ensureAgents(this.#deps, call, [input.agent])
    const secret = PREFIX + randomBytes(SECRET_BYTES).toString('base64url')
    const token = await this.#put(call, 'token.create', {
      uid: this.#deps.newUid(),
      hash: hashOf(secret),
      agent: input.agent,
      scopes: input.scopes,
      created_at: this.#deps.now().toISOString(),
      ...(input.expires_at !== undefined && { expires_at: input.expires_at }),
    })
    return { token, secret }
  }

  list(): Promise<readonly Token[]> {
    return this.#deps.store.tokens()
  }

  async revoke(call: Call, uid: string): Promise<Token> {
    const found = (await this.#deps.store.tokens()).filter((token) => token.uid.startsWith(uid))
    const [token] = found
    if (!token || found.length > 1)
      refuse('not_found', `there is no single token ${uid}; see: baton token list`, { uid })
    return this.#put(call, 'token.revoke', { ...token, revoked_at: this.#deps.now().toISOString() })
  }

  /** The token that this secret stands for, unless it is unknown, expired or revoked. */
  async authenticate(secret: string): Promise<Token | undefined> {
    if (!secret.startsWith(PREFIX)) return undefined
    const token = await this.#deps.store.token(hashOf(secret))
    if (!token || token.revoked_at !== undefined) return undefined
    if (token.expires_at !== undefined && this.#deps.now().toISOString() >= token.expires_at) return undefined
    return token
  }

  #put(call: Call, act: string, token: Token): Promise<Token> {
    const stream = adminStream(this.#deps)
    return write(this.#deps, call, {
      op: act,
      input: { uid: token.uid },
      reads: { streams: [stream] },
      decide: (view, at) => {
        view.putToken(token)
        view.append({
          stream,
          subject: token.agent,
          record: {
            act,
            actor: { id: call.actor.name },
            auth: call.actor.auth,
            sub: { id: token.uid, k: 'agent', rev: 1 },
            ts: at,
          },
        })
        return token
      },
      subject: (value) => ({ uid: value.uid, rev: 1 }),
      reload: async (uid) => (await this.#deps.store.tokens()).find((t) => t.uid === uid),
    })
  }
}

const hashOf = (secret: string): string => hash('sha256', secret, 'hex')
