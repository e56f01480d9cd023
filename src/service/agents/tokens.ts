import { hash, randomBytes } from 'node:crypto'
import { ENGINE } from '../../domain/actor.ts'
import { present } from '../../domain/present.ts'
import type { Token } from '../../storage/store.ts'
import type { Call } from '../deps.ts'
import { refuseRemoved } from '../handoffs/admission.ts'
import { adminStream } from '../log-record.ts'
import { refuse, UseCases, write } from '../write.ts'
import { ensureAgents, putToken } from './agents.ts'

const PREFIX = 'baton_'
/** 256 bits: nobody guesses it, so a plain hash is enough to keep. */
const SECRET_BYTES = 32
/** The one scope of a code that can be exchanged for a session and is good for nothing else. */
const LOGIN = 'login'
const CODE_MS = 10 * 60 * 1_000
const SESSION_MS = 12 * 60 * 60 * 1_000
/** Each exchange costs one more look-up in every call of the session. */
const MAX_EXCHANGES = 8

/** Credentials of agents for the HTTP surface. A secret is shown once; only its hash is kept. */
export class Tokens extends UseCases {
  async create(
    call: Call,
    input: {
      readonly agent: string
      readonly scopes: readonly string[]
      readonly expires_at?: string | undefined
      readonly parent?: string | undefined
    },
  ): Promise<{ readonly token: Token; readonly secret: string }> {
    const secret = PREFIX + randomBytes(SECRET_BYTES).toString('base64url')
    const token = await this.#put(call, 'token.create', {
      uid: this.deps.newUid(),
      hash: hashOf(secret),
      agent: input.agent,
      scopes: input.scopes,
      created_at: this.deps.now().toISOString(),
      ...present({ expires_at: input.expires_at, parent: input.parent }),
    })
    return { token, secret }
  }

  /** All tokens. A session counts as revoked with the token that it was exchanged from. */
  async list(): Promise<readonly Token[]> {
    const all = await this.deps.store.tokens()
    const byHash = new Map(all.map((token) => [token.hash, token]))
    const revokedAt = (token: Token | undefined): string | undefined =>
      token && (token.revoked_at ?? (token.parent && revokedAt(byHash.get(token.parent))))
    return all.map((token) => {
      const revoked_at = revokedAt(token)
      return { ...token, ...present({ revoked_at }) }
    })
  }

  async revoke(call: Call, uid: string): Promise<Token> {
    const found = (await this.deps.store.tokens()).filter((token) => token.uid.startsWith(uid))
    const [token] = found
    if (!token || found.length > 1)
      refuse('not_found', `there is no single token ${uid}; see: baton token list`, { uid })
    return this.#put(call, 'token.revoke', { ...token, revoked_at: this.deps.now().toISOString() })
  }

  /** The token that this secret stands for, unless it is unknown, expired or revoked. */
  async authenticate(secret: string): Promise<Token | undefined> {
    if (!secret.startsWith(PREFIX)) return undefined
    const token = await this.deps.store.token(hashOf(secret))
    return token && !token.scopes.includes(LOGIN) && (await this.#isGood(token)) ? token : undefined
  }

  /** A code with which a person begins a session in a browser: once, and soon. */
  async loginCode(call: Call, agent: string): Promise<string> {
    const { secret } = await this.create(call, { agent, scopes: [LOGIN], expires_at: this.#in(CODE_MS) })
    return secret
  }

  /** A session for a code, or for a token that a person has typed in. Of two that come with one code, one gets it. */
  async beginSession(given: string): Promise<{ readonly token: Token; readonly secret: string } | undefined> {
    if (!given.startsWith(PREFIX)) return undefined
    const found = await this.deps.store.token(hashOf(given))
    if (!found || !(await this.#isGood(found, MAX_EXCHANGES - 1))) return undefined
    if ((await this.deps.store.agent(found.agent))?.removed) return undefined
    const isCode = found.scopes.includes(LOGIN)
    const actor = { name: found.agent, kind: 'human' as const, auth: 'token' as const }
    // The key makes the code good for one session: whoever comes second is answered that it was used.
    if (isCode && !(await this.#spend({ actor }, found))) return undefined
    return this.create(
      { actor },
      {
        agent: found.agent,
        scopes: isCode ? ['*'] : found.scopes,
        expires_at: earliest(this.#in(SESSION_MS), isCode ? undefined : found.expires_at),
        // A code is spent by now and must not end its session.
        parent: isCode ? undefined : found.hash,
      },
    )
  }

  /** Ends login links and sessions that have expired: the log then tells of it, and their rows can be cleared away. */
  async endExpired(most: number): Promise<number> {
    const at = this.deps.now().toISOString()
    const ended = (await this.deps.store.tokens()).filter(
      ({ revoked_at, expires_at = '~', created_at }) =>
        revoked_at === undefined &&
        expires_at <= at &&
        Date.parse(expires_at) - Date.parse(created_at) <= SESSION_MS,
    )
    // With a key, so that of two servers one does it.
    const end = (token: Token) =>
      this.#put({ actor: ENGINE, key: `end ${token.uid}` }, 'token.revoke', { ...token, revoked_at: at })
    return (await Promise.all(ended.slice(0, most).map(end))).length
  }

  async #spend(call: Call, code: Token): Promise<boolean> {
    const claim = this.deps.newUid()
    const spent = await this.#put({ ...call, key: `spend ${code.uid}` }, 'token.revoke', {
      ...code,
      revoked_at: this.deps.now().toISOString(),
      claim,
    })
    return spent.claim === claim
  }

  /** Whether neither it nor any token that it was exchanged from is expired or revoked. */
  async #isGood({ revoked_at, expires_at, parent }: Token, exchanges = MAX_EXCHANGES): Promise<boolean> {
    if (revoked_at !== undefined) return false
    if (expires_at !== undefined && this.deps.now().toISOString() >= expires_at) return false
    if (parent === undefined) return true
    const token = exchanges > 0 ? await this.deps.store.token(parent) : undefined
    return token !== undefined && this.#isGood(token, exchanges - 1)
  }

  #in(ms: number): string {
    return new Date(this.deps.now().getTime() + ms).toISOString()
  }

  #put(call: Call, act: string, token: Token): Promise<Token> {
    return write(this.deps, call, {
      op: act,
      input: { uid: token.uid },
      reads: { agents: [token.agent], streams: [adminStream(this.deps)] },
      decide: (step) => {
        if (act === 'token.create') {
          const more = ensureAgents(step, [token.agent])
          if (more) return more
          refuseRemoved(step.view.agent(token.agent))
        }
        putToken(step, token, act)
        return token
      },
      reload: async (uid) => (await this.deps.store.tokens()).find((t) => t.uid === uid),
    })
  }
}

const hashOf = (secret: string): string => hash('sha256', secret, 'hex')

const earliest = (a: string, b: string | undefined): string => (b !== undefined && b < a ? b : a)
