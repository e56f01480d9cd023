import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, it, type TestContext } from 'node:test'
import type { Handoff } from '../../src/domain/handoffs/handoff.ts'
import { folders } from '../support/documents/folders.ts'
import {
  ask,
  BATON,
  baton,
  cleanEnv,
  onTerminal,
  quick,
  refusal,
  type Where,
} from '../support/program/command.ts'

const here = (t: Parameters<typeof folders>[0], env: Record<string, string> = {}): Where => ({
  cwd: folders(t).repository('shop'),
  env,
})
const SEND = ['send', '--to', 'codex', '--title', 'Add limits']

describe('under a coding agent', () => {
  for (const variable of ['CLAUDECODE', 'CODEX_SANDBOX', 'GEMINI_CLI', 'CURSOR_AGENT', 'AI_AGENT'])
    it(`a caller that does not say its name is refused: ${variable}`, async (t) => {
      const where = here(t, { [variable]: '1' })

      const { exit, code, message } = await refusal(where, ...SEND)

      assert.deepEqual([exit, code], [4, 'not_allowed'])
      assert.match(message, new RegExp(`^${variable} shows that a coding agent is calling.*add --as <name>`))
      assert.equal(existsSync(join(where.cwd, '.baton')), false)
    })

  it('a caller with a name works in a workspace that is there, and makes none', async (t) => {
    const where = here(t, { CLAUDECODE: '1' })
    const person = { cwd: where.cwd }

    const early = await baton(where, ...SEND, '--as', 'claude')
    await ask(person, ...SEND)
    const late = await baton({ ...where, env: { CLAUDECODE: '1', BATON_AGENT: 'claude' } }, ...SEND)

    assert.equal(early.code, 4)
    assert.match(
      early.stderr,
      /a coding agent \(CLAUDECODE\) does not create one; ask a person to run baton init in/,
    )
    assert.equal(late.code, 0, late.stderr)
    const { items } = await ask<{ items: { from: string }[] }>(person, 'handoff', 'list', '--from', 'claude')
    assert.equal(items.length, 1)
  })
})

describe('a token', () => {
  it("of a person is not made by a coding agent, which could give itself a person's hand", async (t) => {
    const where = here(t)
    await ask(where, 'agent', 'add', 'maria', '--kind', 'human')
    const agent = { ...where, env: { CLAUDECODE: '1', BATON_AGENT: 'claude' } }
    const create = (who: string) => ['token', 'create', '--agent', who, '--scope', '*']

    const { exit, message } = await refusal(agent, ...create('maria'))

    assert.equal(exit, 4)
    assert.match(message, /^maria is a person, and CLAUDECODE shows that a coding agent asks/)
    const named = await refusal({ ...where, env: { BATON_AGENT: 'claude' } }, ...create('maria'))
    assert.equal(named.message, 'maria is a person, and claude is of kind agent; let maria make it')
    const another = await refusal(agent, ...create('codex'))
    assert.match(another.message, /^codex is somebody else, and CLAUDECODE shows that a coding agent asks/)
    await ask(agent, ...create('claude'))
    await ask(where, ...create('maria'))
  })
})

describe('a gate', () => {
  const gate = async (t: TestContext): Promise<Where> => {
    const where = here(t)
    const { actor } = await ask<{ actor: { name: string } }>(where, 'whoami')
    await ask(where, 'agent', 'add', actor.name, '--kind', 'human')
    await ask(
      where,
      'send',
      '--to',
      actor.name,
      '--type',
      'gate',
      '--title',
      'Release 1.0',
      '--validate',
      'the changelog',
      '--as',
      'planner',
    )
    return where
  }
  const stateOf = async (where: Where) =>
    (await ask<{ handoff: { state: string } }>(where, 'show', '1')).handoff.state

  it('[T12] is not decided without a terminal, whoever asks', async (t) => {
    const where = await gate(t)

    const person = await baton(where, 'decide', '@', 'approve', '--comment', 'ship it')
    const agent = await baton(where, 'decide', '1', 'approve', '--as', 'planner')

    assert.deepEqual([person.code, agent.code], [4, 4])
    assert.match(person.stderr, /nothing shows that \S+ is at the keyboard; run it at a terminal$/m)
    assert.match(agent.stderr, /for people only, and planner is of kind agent/)
    assert.equal(await stateOf(where), 'needs_input')
  })

  it('is decided at a terminal after a yes, which the log shows', async (t) => {
    const where = await gate(t)

    const { code, shown } = onTerminal(where, ['decide', '@', 'approve', '--comment', 'ship it'], {
      steps: [['[y/N]', 'y\n']],
    })

    assert.equal(code, 0, shown)
    assert.match(shown, /Validate +the changelog/)
    assert.match(
      shown,
      /approve HO-\d{4}-001 as \S+\? \[y\/N\] y\n✓ HO-\d{4}-001 is approved; planner goes on/,
    )
    const { handoff, timeline, thread } = await ask<{
      handoff: { state: string }
      timeline: { act: string; auth: string }[]
      thread: { text: string }[]
    }>(where, 'show', '1')
    assert.equal(handoff.state, 'completed')
    assert.deepEqual(timeline.at(-1), { ...timeline.at(-1), act: 'gate.approve', auth: 'tty' })
    assert.equal(thread[0]?.text, 'ship it')
  })

  it('stays closed when the person says no, nothing, or leaves', async (t) => {
    const where = await gate(t)

    const no = onTerminal(where, ['decide', '@', 'approve'], { steps: [['[y/N]', 'n\n']] })
    const nothing = onTerminal(where, ['decide', '@', 'approve'], { steps: [['[y/N]', '\n']] })
    const left = onTerminal(where, ['decide', '@', 'approve'], { steps: [['[y/N]', '\u0003']] })

    assert.deepEqual([no.code, nothing.code, left.code], [4, 4, 130])
    assert.match(no.shown, /✗ HO-\d{4}-001 is as it was: it was not confirmed/)
    assert.equal(await stateOf(where), 'needs_input')
  })

  it('asks for the choice when it was left out, and for the question', async (t) => {
    const where = await gate(t)

    const { code, shown } = onTerminal(where, ['decide', '@'], {
      steps: [
        ['approve, reject or question?', 'q\n'],
        ['What do you want to know?', 'Who wrote it?\n'],
        ['[y/N]', 'yes\n'],
      ],
    })

    assert.equal(code, 0, shown)
    assert.match(shown, /✓ HO-\d{4}-001 has a question for planner/)
    assert.equal((await refusal(where, 'decide', '@', 'approve')).exit, 3)
  })

  it('is not decided at the terminal of a coding agent', async (t) => {
    const where = await gate(t)
    const { actor } = await ask<{ actor: { name: string } }>(where, 'whoami')

    const { code, shown } = onTerminal({ ...where, env: { CLAUDECODE: '1' } }, [
      'decide',
      '1',
      'approve',
      '--as',
      actor.name,
    ])

    assert.equal(code, 4)
    assert.match(shown, /nothing shows that/)
    assert.equal(await stateOf(where), 'needs_input')
  })
})

describe('with BATON_URL, against a server', () => {
  const where = here({ after })
  let server: ChildProcess
  let url = ''
  const tokens = new Map<string, string>()
  const elsewhere = folders({ after }).folder('elsewhere')
  const as = (name: string, more: Record<string, string> = {}): Where => ({
    cwd: elsewhere,
    env: { BATON_URL: url, BATON_TOKEN: tokens.get(name) ?? '', ...more },
  })

  before(async () => {
    server = spawn(process.execPath, [BATON, 'serve', '--port', '0', '--json'], {
      cwd: where.cwd,
      env: cleanEnv(where),
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const [line] = await once(createInterface({ input: server.stdout! }), 'line')
    url = JSON.parse(line).url
    await ask(where, 'agent', 'add', 'maria', '--kind', 'human')
    for (const [name, scope] of [
      ['ci', 'handoff:write'],
      ['codex', '*'],
      ['maria', '*'],
    ] as const) {
      const { secret } = await ask<{ secret: string }>(
        where,
        'token',
        'create',
        '--agent',
        name,
        '--scope',
        scope,
        '--expires',
        '90d',
      )
      tokens.set(name, secret)
    }
  })
  after(async () => {
    server.kill('SIGTERM')
    const [code] = await once(server, 'close')
    assert.equal(code, 0)
  })

  it('the same commands work, and the token says who calls', async () => {
    const sent = await baton(as('ci'), ...SEND, '--deliverable', 'Docs')
    const inbox = await quick(as('codex'), 'inbox')
    await ask(as('codex'), 'accept', '@')
    await ask(as('codex'), 'submit', '@', '--evidence', 'Docs=docs/limits.md')
    const { handoff: verified } = await ask<{ handoff: Handoff }>(as('ci'), 'verify', '@', '--pass')

    assert.equal(sent.code, 0, sent.stderr)
    assert.match(sent.stdout, /^✓ HO-\d{4}-\d+ to codex, waiting to be accepted\n$/)
    assert.match(inbox.stdout, /^accept\tHO-\d{4}-\d+\tAdd limits\tci\tcodex\t/)
    assert.deepEqual([verified.state, verified.verified_by], ['completed', 'ci'])
    const { actor, server: told } = await ask<{ actor: object; server: string }>(as('ci'), 'whoami')
    assert.deepEqual([actor, told], [{ name: 'ci', kind: 'agent', auth: 'token' }, url])
  })

  it("a person's token decides a gate without a terminal, an agent's does not", async () => {
    await ask(as('ci'), 'send', '--to', 'maria', '--type', 'gate', '--title', 'Release')

    const agent = await refusal(as('codex'), 'decide', '@', 'approve')
    const person = await baton(as('maria'), 'decide', '@', 'approve', '--comment', 'ship it')

    assert.ok(agent.exit === 3 || agent.exit === 4)
    assert.equal(person.code, 0, person.stderr)
  })

  it('[T4] a name that is not the token holder is refused', async () => {
    const { exit, message } = await refusal(as('ci'), 'inbox', '--as', 'maria')

    assert.equal(exit, 4)
    assert.match(message, /^the token belongs to ci, and --as or BATON_AGENT says maria/)
    assert.equal((await refusal(as('ci', { BATON_AGENT: 'maria' }), 'inbox')).exit, 4)
    assert.equal((await quick(as('ci'), 'inbox', '--as', 'ci')).code, 0)
  })

  it('refusals are the same as here, with the same numbers', async () => {
    assert.equal((await refusal(as('ci'), 'show', 'HO-2001-999')).exit, 3)
    assert.equal((await refusal(as('nobody'), 'inbox')).exit, 15)
    assert.equal((await refusal(as('ci', { BATON_TOKEN: 'baton_wrong' }), 'inbox')).exit, 15)
    assert.equal((await refusal(as('ci'), 'task', 'create', 'T1', '--title', 'x')).exit, 3)
    assert.equal((await refusal(as('ci', { BATON_URL: 'http://127.0.0.1:1' }), 'inbox')).exit, 13)
    assert.equal((await refusal(as('ci'), 'store', 'info')).exit, 2)
  })

  it('a token with few scopes is told which one a command wants', async () => {
    const commands: readonly (readonly [scope: string, ...args: string[]])[] = [
      ['report:read', 'status'],
      ['report:read', 'watch', '--count', '1'],
      ['task:write', 'task', 'create', 'T1', '--title', 'x'],
      ['audit:read', 'audit', 'log'],
    ]
    for (const [scope, ...args] of commands) {
      const { exit, message } = await refusal(as('ci'), ...args)

      assert.equal(exit, 3, message)
      assert.ok(
        message.endsWith(
          `has no scope ${scope}; make one with: baton token create --agent ci --scope ${scope}`,
        ),
        message,
      )
    }
  })

  it('find shows what the token may read, and says what it may not', async () => {
    await ask(where, 'send', '--to', 'ci', '--title', 'Look for the needle')

    const found = await quick(as('ci'), 'find', 'needle')
    const data = await ask<{ handoffs: unknown[]; tasks: unknown[] }>(as('ci'), 'find', 'needle')

    assert.equal(found.code, 0, found.stderr)
    assert.match(found.stdout, /needle/)
    assert.match(found.stderr, /^! this token has no scope task:read, so more may match$/m)
    assert.deepEqual([data.handoffs.length, data.tasks], [1, []])
  })

  it('an agent hears that gates are for people, and of no token that would not help', async () => {
    const { exit, message } = await refusal(as('ci'), 'decide', 'HO-2001-999', 'approve')

    assert.equal(exit, 4)
    assert.match(message, /^only a person may do this, and ci is of kind agent; /)
    assert.doesNotMatch(message, /--agent ci/)
  })

  it('a token is listed without its secret, and worth nothing once it is revoked', async () => {
    const { token, secret } = await ask<{ token: { uid: string }; secret: string }>(
      where,
      'token',
      'create',
      '--agent',
      'temp',
      '--scope',
      'handoff:read',
    )
    const listed = await quick(where, 'token', 'list', '--json')
    const caller = { ...as('ci'), env: { BATON_URL: url, BATON_TOKEN: secret } }
    assert.equal((await quick(caller, 'inbox')).code, 0)

    await ask(where, 'token', 'revoke', token.uid.slice(-10))

    assert.equal(listed.stdout.includes(secret), false)
    assert.equal(/"hash"/.test(listed.stdout), false)
    assert.equal((await refusal(caller, 'inbox')).exit, 15)
    assert.equal((await refusal(where, 'token', 'revoke', token.uid.slice(-10))).exit, 3)
    assert.match(
      (await refusal(where, 'token', 'create', '--agent', 'x', '--scope', 'handof:write')).message,
      /did you mean handoff:write/,
    )
  })
})
