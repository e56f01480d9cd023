import type { Context } from '../../../../compose/open.ts'
import { BatonError, invalidInput, notFound } from '../../../../domain/errors.ts'
import { kindOf } from '../../../../domain/policy.ts'
import { didYouMean } from '../../../../domain/texts/nearest.ts'
import type { Token } from '../../../../service/service.ts'
import type { Command } from '../../command.ts'
import { badOption, flag, textOf, textsOf } from '../../input/args.ts'
import { marked } from '../../prompt.ts'
import { toSeconds } from '../../screen/time.ts'
import type { Shell } from '../../shell.ts'

/** Every scope that some operation needs; others would open nothing. */
// biome-ignore format: a noun on each line
export const SCOPES = [
  '*',
  'agent:read', 'agent:write',
  'artifact:read', 'artifact:write',
  'audit:read', 'audit:write',
  'document:read', 'document:write',
  'gate:write',
  'handoff:read', 'handoff:write',
  'notice:write',
  'report:read',
  'task:read', 'task:write',
  'workflow:read', 'workflow:write',
]

/** Hashes of secrets are nobody's business. */
const withoutSecret = ({ hash: _, parent: __, ...token }: Token) => token

const create: Command = {
  name: 'token create',
  summary: 'Makes a credential with which an agent or a person calls over HTTP. The secret is shown once.',
  flags: [
    flag('agent <name>', 'Whose calls they are', { required: true }),
    flag('scope <noun:verb>', 'A scope, for example handoff:write (which includes reading) or *', {
      repeats: true,
      choices: SCOPES,
    }),
    flag('expires <time>', 'After this it is worth nothing: 90d, or 2027-01-31T12:00Z (never, if left out)'),
  ],
  examples: ['baton token create --agent ci --scope handoff:write --expires 90d'],
  async run(shell, args) {
    const agent = textOf(args, 'agent')!.replace(/^@/, '').toLowerCase()
    const scopes = textsOf(args, 'scope').flatMap((text) => text.split(','))
    if (scopes.length === 0)
      throw invalidInput(
        'say what it may do, for example --scope handoff:write, or --scope "*" for everything',
      )
    for (const scope of scopes)
      if (!SCOPES.includes(scope))
        throw invalidInput(
          `there is no scope ${scope}${didYouMean(scope, SCOPES) || `; write one of ${SCOPES.join(', ')}`}`,
          { scope, known: SCOPES },
        )
    const context = await shell.openLocal({ write: true })
    await refuseForPeople(shell, context, agent)
    const expires_at = expiry(textOf(args, 'expires'))
    const { token, secret } = await (await context.service.tokens()).create(
      { actor: await marked(shell.io, context.actor) },
      { agent, scopes, expires_at },
    )
    shell.answer({ token: withoutSecret(token), secret }, () => {
      const until = token.expires_at ? ` until ${shell.screen.when(token.expires_at)}` : ''
      shell.note(`a token of ${agent} for ${scopes.join(' ')}${until}; it is shown this once:`)
      return secret
    })
  },
}

/** A person's token is a person's hand: a coding agent must not be able to give itself one. */
async function refuseForPeople(shell: Shell, { service, actor }: Context, agent: string): Promise<void> {
  const { codingAgent } = shell.io.env
  if (codingAgent === undefined && actor.kind === 'human') return
  const row = (await service.agents.list()).find(({ name }) => name === agent)
  const isPerson = kindOf(service.deps.policy, agent, row) === 'human'
  if (!isPerson && agent === actor.name) return
  const why = codingAgent
    ? `${codingAgent} shows that a coding agent asks for the token`
    : `${actor.name} is of kind ${actor.kind}`
  const whose = isPerson ? 'a person' : 'somebody else'
  throw new BatonError('not_allowed', `${agent} is ${whose}, and ${why}; let ${agent} make it`, {
    agent,
    actor: actor.name,
  })
}

function expiry(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const now = Date.now()
  const at = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : now + (toSeconds(text) ?? 0) * 1_000
  if (!(at > now && at <= now + 3_650 * 86_400_000))
    throw badOption(
      'expires',
      `${text} is not a length of time such as 90d or a later date such as 2027-01-31`,
    )
  return new Date(at).toISOString()
}

const list: Command = {
  name: 'token list',
  summary: 'The credentials of this workspace. Secrets are not kept, so they cannot be shown.',
  examples: ['baton token list'],
  async run(shell) {
    const { service } = await shell.openLocal({ write: false })
    const tokens = (await (await service.tokens()).list()).filter((token) => !isSpentCode(token))
    const none = `No token yet; make one with: ${create.examples[0]}`
    shell.answer({ items: tokens.map(withoutSecret) }, () =>
      shell.list({ items: tokens }, none, ['ID', 'AGENT', 'SCOPES', 'STATE', 'MADE'], (token) => [
        { text: shell.screen.isTerminal ? token.uid.slice(-8) : token.uid, style: 'bold' },
        token.agent,
        { text: token.scopes.join(' '), fill: true },
        tokenState(token, shell),
        { text: shell.screen.when(token.created_at), style: 'dim' },
      ]),
    )
  },
}

/** A login code, or the look before it, that was used or has expired: it needs no action. */
const isSpentCode = ({ scopes, revoked_at, expires_at = '' }: Token): boolean =>
  scopes.every((scope) => scope === 'login') &&
  (revoked_at !== undefined || expires_at <= new Date().toISOString())

function tokenState(token: Token, shell: Shell): string {
  if (token.revoked_at !== undefined) return 'revoked'
  if (token.expires_at === undefined) return 'valid'
  if (token.expires_at <= new Date().toISOString()) return 'expired'
  return shell.screen.isTerminal ? `ends ${shell.screen.when(token.expires_at)}` : token.expires_at
}

const revoke: Command = {
  name: 'token revoke',
  summary: 'Makes a credential worthless at once.',
  words: ['id'],
  examples: ['baton token revoke 3f9a2c81'],
  async run(shell, { words: [part = ''] }) {
    const { service, actor } = await shell.openLocal({ write: true })
    const tokens = await service.tokens()
    const found = (await tokens.list()).filter(
      ({ uid, revoked_at }) => uid.includes(part.toLowerCase()) && revoked_at === undefined,
    )
    const [token] = found
    if (!token) throw notFound(`no valid token has ${part} in its id; see: baton token list`, { id: part })
    if (found.length > 1)
      throw invalidInput(`${part} is a part of ${found.length} ids; write more of it`, { id: part })
    const revoked = await tokens.revoke({ actor }, token.uid)
    shell.answer(
      withoutSecret(revoked),
      () => `${shell.screen.tick} the token of ${revoked.agent} is worth nothing now`,
    )
  },
}

export const TOKEN_COMMANDS = { create, list, revoke }
