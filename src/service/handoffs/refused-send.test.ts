import assert from 'node:assert/strict'
import { it } from 'node:test'
import { markdownDocument } from '../../../test/support/documents/documents.ts'
import {
  by,
  describeOnEngines,
  person,
  type Workspace,
  type WorkspaceOptions,
} from '../../../test/support/program/workspace.ts'
import { BatonError, type ErrorCode } from '../../domain/errors.ts'
import type { NewHandoff } from '../../domain/handoffs/inputs.ts'
import type { Call } from '../deps.ts'
import { importText } from '../documents/import.ts'

type Fields = Partial<NewHandoff>

interface Refusal {
  readonly code: ErrorCode
  readonly message: RegExp
  readonly options?: WorkspaceOptions
  /** Makes the workspace one that refuses; answers fields of the refused handoff. */
  readonly before?: (w: Workspace) => Promise<Fields>
  readonly input?: Fields
  /** The sender, codex unless said. The receiver is a newcomer unless the input names one. */
  readonly call?: Call
}

const [codex, claude, maria, newcomer] = [by('codex'), by('claude'), person('maria'), by('newcomer')]
const GATE: Fields = { type: 'gate', validation_request: { items: ['The scope is right'] } }
const GATED = 'name: w\nsteps:\n  - { id: write, agent: codex, gate: { to: maria } }\n'

const send = async ({ service }: Workspace, call: Call, to: string, more: Fields = {}) =>
  (await service.sending.send(call, { to, title: 'Work', ...more })).handoff

const remove = async ({ service }: Workspace, name: string) => {
  await service.agents.add(maria, { name })
  await service.agents.remove(maria, name)
  return {}
}

const withMaria = ({ service }: Workspace) => service.agents.add(maria, { name: 'maria', kind: 'human' })

/** Codex works on a handoff of claude. */
async function atWork(w: Workspace): Promise<string> {
  const { uid } = await send(w, claude, 'codex')
  await w.service.receiving.accept(codex, uid)
  return uid
}

const REFUSALS: Readonly<Record<string, Refusal>> = {
  'a limit of the sender': {
    code: 'limit_exceeded',
    message: /codex/,
    options: { policy: { defaultLimits: { outgoing: 1 } } },
    before: async (w) => {
      await send(w, codex, 'claude')
      return {}
    },
  },
  'a limit of the receiver that another process set': {
    code: 'limit_exceeded',
    message: /claude/,
    call: newcomer,
    input: { to: 'claude' },
    before: async (w) => {
      await send(w, codex, 'claude')
      await (await w.beside()).agents.add(maria, { name: 'claude', max_incoming: 1 })
      return {}
    },
  },
  'a chain that is too long': {
    code: 'limit_exceeded',
    message: /the chain is/,
    options: { policy: { depthLimit: 1 } },
    before: async (w) => {
      const { uid } = await send(w, claude, 'gemini')
      return { parent: (await send(w, by('gemini'), 'codex', { parent: uid })).uid }
    },
  },
  'a chain that goes round in circles': {
    code: 'conflict',
    message: /the chain is/,
    input: { to: 'claude', task: 'T1' },
    before: async (w) => {
      await send(w, codex, 'claude', { task: 'T1' })
      await send(w, claude, 'codex', { task: 'T1' })
      return {}
    },
  },
  'a route': {
    code: 'not_allowed',
    message: /routes/,
    options: { policy: { routes: [{ from: 'codex', to: ['claude'] }] } },
  },
  'a list of agents': {
    code: 'not_found',
    message: /lists claude, codex/,
    options: { policy: { agents: { codex: {}, claude: {} } } },
  },
  'a removed receiver': {
    code: 'not_found',
    message: /claude was removed/,
    call: newcomer,
    input: { to: 'claude' },
    before: (w) => remove(w, 'claude'),
  },
  'a removed sender': {
    code: 'not_found',
    message: /codex was removed/,
    before: (w) => remove(w, 'codex'),
  },
  'missing fields of a live folder': {
    code: 'invalid_input',
    message: /--purpose/,
    options: { live: new Set(['markdown']) },
    input: { home: 'markdown' },
  },
  'an id that cannot be the name of its file': {
    code: 'invalid_input',
    message: /name of its file/,
    options: { live: new Set(['queue']) },
    input: { home: 'queue', alias: 'a:b' },
  },
  'an id that is taken': {
    code: 'conflict',
    message: /exists already/,
    input: { alias: 'limits-1' },
    before: async (w) => {
      await send(w, codex, 'claude', { alias: 'limits-1' })
      return {}
    },
  },
  'a handoff of the same task that is open': {
    code: 'conflict',
    message: /is open/,
    input: { to: 'claude', task: 'T1', home: 'markdown' },
    before: async (w) => {
      await send(w, codex, 'claude', { task: 'T1', home: 'markdown' })
      return {}
    },
  },
  'a package that breaks its rules': {
    code: 'invalid_input',
    message: /summary/,
    input: { home: 'package' },
  },
  'a return that nobody asked for': {
    code: 'invalid_input',
    message: /no open delegation|cannot be a draft/,
    input: { home: 'package', type: 'return', summary: 'The limits are in', deliverables: ['Middleware'] },
  },
  'a return outside a package': {
    code: 'invalid_input',
    message: /made by Baton/,
    input: { type: 'return' },
  },
  'a gate that no person could open': {
    code: 'invalid_input',
    message: /only a person/,
    input: GATE,
  },
  'an escalation to an agent': {
    code: 'invalid_input',
    message: /only a person/,
    input: { type: 'escalation' },
  },
  'an automatic gate without checks': {
    code: 'invalid_input',
    message: /needs checks/,
    call: maria,
    input: { ...GATE, gate: { type: 'auto' } },
  },
  'a kind of gate on work that is not a gate': {
    code: 'invalid_input',
    message: /is for a handoff of type gate/,
    input: { gate: { type: 'blocking' } },
  },
  'an agent that is asked in place of a silent person': {
    code: 'invalid_input',
    message: /only a person/,
    call: maria,
    input: { ...GATE, silence: { policy: 'escalate', after_s: 60, to: 'codex' } },
  },
  'work that a gate holds up': {
    code: 'unmet',
    message: /passed on/,
    before: async (w) => {
      await withMaria(w)
      const uid = await atWork(w)
      await send(w, codex, 'maria', { ...GATE, parent: uid })
      return { parent: uid }
    },
  },
  'a task that a gate holds up': {
    code: 'unmet',
    message: /T1 cannot be passed on/,
    input: { task: 'T1' },
    before: async (w) => {
      await withMaria(w)
      await send(w, codex, 'maria', { ...GATE, task: 'T1' })
      return {}
    },
  },
  'a step of a workflow that waits at its gate': {
    code: 'wrong_state',
    message: /waits at the gate/,
    before: async (w) => {
      await withMaria(w)
      await (await w.service.workflows()).start(claude, { definition: GATED })
      await w.service.receiving.accept(codex, 'w-1.write')
      await w.service.receiving.submit(codex, 'w-1.write', { note: 'Done' })
      await w.service.closing.verify(claude, 'w-1.write', { pass: true })
      return { parent: 'w-1.write' }
    },
  },
  'a workflow that was cancelled': {
    code: 'wrong_state',
    message: /was cancelled/,
    before: async (w) => {
      await withMaria(w)
      await (await w.service.workflows()).start(codex, { definition: GATED })
      await (await w.service.workflows()).cancel(codex, 'w-1')
      return { parent: 'w-1.write' }
    },
  },
  'a text that looks like a secret': {
    code: 'invalid_input',
    message: /secret/,
    input: { summary: `The key is ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}` },
  },
  'a superseded handoff that is still open': {
    code: 'wrong_state',
    message: /only ended handoffs/,
    before: async (w) => ({ supersedes: (await send(w, codex, 'claude')).uid }),
  },
  'a superseded handoff about which a person is asked': {
    code: 'unmet',
    message: /cannot be superseded yet/,
    before: async (w) => {
      await withMaria(w)
      const uid = await atWork(w)
      await send(w, codex, 'maria', { ...GATE, parent: uid })
      await w.service.sending.cancel(claude, uid)
      return { supersedes: uid }
    },
  },
  'a superseded handoff that is not there': {
    code: 'not_found',
    message: /HO-9/,
    input: { supersedes: 'HO-9' },
  },
  'a parent that is not there': {
    code: 'not_found',
    message: /HO-9/,
    input: { parent: 'HO-9' },
  },
  'a key of another call': {
    code: 'conflict',
    message: /take a new key/,
    call: by('codex', { key: 'k1' }),
    before: async (w) => {
      await send(w, by('codex', { key: 'k1' }), 'claude')
      return {}
    },
  },
}

/** A draft may be unfinished, nothing of it is passed on yet, and it has keys of its own. */
const ONLY_SENT = new Set([
  'a package that breaks its rules',
  'an automatic gate without checks',
  'a step of a workflow that waits at its gate',
  'a workflow that was cancelled',
  'a key of another call',
])

/** Agents and entries: what a refusal must leave as it was. */
async function stood({ store }: Workspace) {
  return [(await store.agents()).map(({ name, rev }) => `${name} ${rev}`), (await store.counts()).entries]
}

async function demandRefused(w: Workspace, call: () => Promise<unknown>, why: Partial<Refusal>) {
  const before = await stood(w)
  const { code, message } = why
  await assert.rejects(call, { ...(code && { code }), ...(message && { message }) })
  assert.deepEqual(await stood(w), before)
}

describeOnEngines('a send that is refused', (open) => {
  for (const [what, { options, before, input, call = codex, ...why }] of Object.entries(REFUSALS))
    for (const way of ['send', 'create'] as const)
      if (way === 'send' || !ONLY_SENT.has(what))
        it(`for ${what} leaves no agent and no entry (${way})`, async (t) => {
          const w = await open(t, options)
          const given = { to: 'newcomer', title: 'Other work', ...input, ...(await before?.(w)) }

          await demandRefused(w, () => w.service.sending[way](call, given), why)
        })

  it('adds its new agents with the handoff when it is taken', async (t) => {
    const w = await open(t)

    const { id } = await send(w, codex, 'newcomer')

    assert.equal(id, 'HO-2026-001')
    assert.deepEqual((await w.store.agents()).map(({ name }) => name).sort(), ['codex', 'newcomer'])
    assert.equal((await w.store.counts()).entries, 3)
  })
})

interface Act {
  readonly why: Pick<Refusal, 'code' | 'message'>
  readonly options?: WorkspaceOptions
  readonly before?: (w: Workspace) => Promise<unknown>
  readonly act: (w: Workspace) => Promise<unknown>
}

const offered = (w: Workspace) => send(w, codex, 'claude', { alias: 'old' })
const LISTED: WorkspaceOptions = { policy: { agents: { codex: {}, claude: {} } } }
const UNLISTED = { code: 'not_found', message: /lists claude, codex/ } as const

const ACTS: Readonly<Record<string, Act>> = {
  'a reassignment of a handoff that has ended': {
    why: { code: 'wrong_state', message: /cancelled/ },
    before: async (w) => w.service.sending.cancel(codex, (await offered(w)).uid),
    act: ({ service }) => service.sending.reassign(codex, 'old', 'newcomer'),
  },
  'a reassignment by another than the sender': {
    why: { code: 'not_allowed', message: /old/ },
    before: offered,
    act: ({ service }) => service.sending.reassign(by('gemini'), 'old', 'newcomer'),
  },
  'a reassignment against a route': {
    why: { code: 'not_allowed', message: /routes/ },
    options: { policy: { routes: [{ from: 'codex', to: ['claude'] }] } },
    before: offered,
    act: ({ service }) => service.sending.reassign(codex, 'old', 'newcomer'),
  },
  'a reassignment to an agent that is not listed': {
    why: UNLISTED,
    options: LISTED,
    before: offered,
    act: ({ service }) => service.sending.reassign(codex, 'old', 'newcomer'),
  },
  'a token for an agent that is not listed': {
    why: UNLISTED,
    options: LISTED,
    act: async ({ service }) => (await service.tokens()).create(codex, { agent: 'newcomer', scopes: ['*'] }),
  },
  'a token for a removed agent': {
    why: { code: 'not_found', message: /claude was removed/ },
    before: (w) => remove(w, 'claude'),
    act: async ({ service }) => (await service.tokens()).create(newcomer, { agent: 'claude', scopes: ['*'] }),
  },
  'a workflow with a removed agent': {
    why: { code: 'not_found', message: /claude was removed/ },
    before: (w) => remove(w, 'claude'),
    act: async ({ service }) =>
      (await service.workflows()).start(codex, {
        definition: 'name: w\nsteps:\n  - { id: a, agent: newcomer }\n  - { id: b, agent: claude }\n',
      }),
  },
  'a document from an agent that is not listed': {
    why: UNLISTED,
    options: LISTED,
    act: async ({ service }) => {
      const [item] = await importText(service.deps, codex, { text: markdownDocument() })
      throw new BatonError('not_found', item?.reason ?? 'it was imported')
    },
  },
  'an acceptance of work for anyone that has ended': {
    why: { code: 'wrong_state', message: /cancelled/ },
    before: async (w) => {
      const { uid } = await send(w, codex, 'human', { alias: 'old' })
      await w.service.sending.cancel(codex, uid)
    },
    act: ({ service }) => service.receiving.accept(maria, 'old'),
  },
  'an acceptance by a person who was taken for an agent': {
    why: { code: 'wrong_state', message: /cancelled/ },
    before: async (w) => {
      const { uid } = await send(w, codex, 'maria', { alias: 'old' })
      await w.service.sending.cancel(codex, uid)
    },
    act: ({ service }) => service.receiving.accept(maria, 'old'),
  },
}

describeOnEngines('an act that is refused', (open) => {
  for (const [what, { why, options, before, act }] of Object.entries(ACTS))
    it(`${what} leaves no agent and no entry`, async (t) => {
      const w = await open(t, options)
      await before?.(w)

      await demandRefused(w, () => act(w), why)
    })
})
