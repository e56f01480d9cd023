import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { folders } from '../support/documents/folders.ts'
import { ask, quick, type Where } from '../support/program/command.ts'
import { ENGINES, type Engine } from '../support/program/workspace.ts'
import { newDatabase } from '../support/store/store-places.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

interface Listed {
  readonly handoff: { readonly state: string; readonly attempt: number; readonly expires_at: string }
}

async function newPlace(t: TestContext, engine: Engine): Promise<Where> {
  const made = folders(t)
  const env = { BATON_HOME: made.folder('home') }
  const where = { cwd: made.repository('shop'), env }
  return engine === 'sqlite' ? where : { ...where, env: { ...env, BATON_STORE: await newDatabase() } }
}

/** Runs what a process does whose own clock is wrong. */
async function at<T>(t: TestContext, offsetMs: number, work: () => Promise<T>): Promise<T> {
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + offsetMs })
  try {
    return await work()
  } finally {
    t.mock.timers.reset()
  }
}

for (const engine of ENGINES)
  describe(`a caller with a wrong clock, on ${engine}`, () => {
    it('ends no lease and no offer of others, whatever it reads or writes', async (t) => {
      const where = await newPlace(t, engine)
      const shown = async (id: string) => {
        const { state, attempt } = (await ask<Listed>(where, 'show', id)).handoff
        return [state, attempt]
      }
      for (const title of ['Taken', 'Offered'])
        await ask(where, 'send', '--to', 'codex', '--title', title, '--as', 'planner')
      const [taken, offered] = ['HO-2026-001', 'HO-2026-002']
      await ask(where, 'accept', taken, '--as', 'codex')

      for (const offset of [6 * MINUTE_MS, 61 * MINUTE_MS, 25 * HOUR_MS])
        await at(t, offset, async () => {
          for (const look of [['inbox', '--as', 'gemini'], ['status'], ['inbox', '--as', 'codex']])
            assert.equal((await quick(where, ...look)).code, 0)
          await ask(where, 'send', '--to', 'gemini', '--title', `Ahead by ${offset}`, '--as', 'claude')
        })

      assert.deepEqual(await shown(taken), ['in_progress', 1])
      assert.deepEqual(await shown(offered), ['offered', 1])
    })

    it('keeps work that it takes while its clock is two hours behind', async (t) => {
      const where = await newPlace(t, engine)
      await ask(where, 'send', '--to', 'codex', '--title', 'Taken', '--as', 'planner')
      await at(t, -2 * HOUR_MS, () => ask(where, 'accept', 'HO-2026-001', '--as', 'codex'))

      assert.equal((await quick(where, 'inbox', '--as', 'gemini')).code, 0)

      assert.equal((await ask<Listed>(where, 'show', 'HO-2026-001')).handoff.state, 'in_progress')
    })
  })
