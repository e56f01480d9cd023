import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  by,
  describeOnEngines,
  person,
  type Workspace,
  type WorkspaceOptions,
} from '../../../test/support/program/workspace.ts'
import type { ErrorCode } from '../../domain/errors.ts'
import type { NewHandoff } from './sending.ts'

interface Refusal {
  readonly code: ErrorCode
  readonly options?: WorkspaceOptions
  /** Makes the workspace one that refuses; answers fields of the refused handoff. */
  readonly before?: (w: Workspace) => Promise<Partial<NewHandoff>>
  readonly input?: Partial<NewHandoff>
}

const maria = person('maria')
const GATE: Partial<NewHandoff> = { type: 'gate', validation_request: { items: ['The scope is right'] } }
const send = async ({ service }: Workspace, from: string, to: string, more: Partial<NewHandoff> = {}) =>
  (await service.sending.send(by(from), { to, title: 'Work', ...more })).handoff

const REFUSALS: Readonly<Record<string, Refusal>> = {
  'a limit': {
    code: 'limit_exceeded',
    options: { policy: { defaultLimits: { outgoing: 1 } } },
    before: async (w) => {
      await send(w, 'codex', 'claude')
      return {}
    },
  },
  'a route': { code: 'not_allowed', options: { policy: { routes: [{ from: 'codex', to: ['claude'] }] } } },
  'a list of agents': { code: 'not_found', options: { policy: { agents: { codex: {}, claude: {} } } } },
  'a missing field of a live folder': {
    code: 'invalid_input',
    options: { live: new Set(['markdown']) },
    input: { home: 'markdown' },
  },
  'a gate that no person could open': {
    code: 'invalid_input',
    input: GATE,
  },
  'work that a gate holds up': {
    code: 'unmet',
    before: async (w) => {
      await w.service.agents.add(maria, { name: 'maria', kind: 'human' })
      const { uid } = await send(w, 'claude', 'codex')
      await w.service.receiving.accept(by('codex'), uid)
      await send(w, 'codex', 'maria', { ...GATE, parent: uid })
      return { parent: uid }
    },
  },
  'a text that looks like a secret': {
    code: 'invalid_input',
    input: { summary: `The key is ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}` },
  },
  'a chain that is too long': {
    code: 'limit_exceeded',
    options: { policy: { depthLimit: 1 } },
    before: async (w) => {
      const { uid } = await send(w, 'claude', 'gemini')
      return { parent: (await send(w, 'gemini', 'codex', { parent: uid })).uid }
    },
  },
  'a handoff that is still open': {
    code: 'wrong_state',
    before: async (w) => ({ supersedes: (await send(w, 'codex', 'claude')).uid }),
  },
}

describeOnEngines('a send that is refused', (open) => {
  for (const [what, { code, options, before, input }] of Object.entries(REFUSALS))
    it(`for ${what} leaves no agent and no entry`, async (t) => {
      const w = await open(t, options)
      const more = await before?.(w)
      const known = (await w.store.agents()).map(({ name }) => name)
      const { entries } = await w.store.counts()

      await assert.rejects(send(w, 'codex', 'newcomer', { ...input, ...more }), { code })

      assert.deepEqual(
        [(await w.store.agents()).map(({ name }) => name), (await w.store.counts()).entries],
        [known, entries],
      )
    })

  it('adds its new agents with the handoff when it is taken', async (t) => {
    const w = await open(t)

    await send(w, 'codex', 'newcomer')

    assert.deepEqual((await w.store.agents()).map(({ name }) => name).sort(), ['codex', 'newcomer'])
    assert.equal((await w.store.counts()).entries, 3)
  })
})

describeOnEngines('a reassignment that is refused', (open) => {
  it('leaves no agent and no entry', async (t) => {
    const w = await open(t)
    const { uid } = await send(w, 'codex', 'claude')
    await w.service.sending.cancel(by('codex'), uid)
    const { entries } = await w.store.counts()

    await assert.rejects(w.service.sending.reassign(by('codex'), uid, 'newcomer'), { code: 'wrong_state' })

    assert.deepEqual((await w.store.agents()).map(({ name }) => name).sort(), ['claude', 'codex'])
    assert.equal((await w.store.counts()).entries, entries)
  })
})
