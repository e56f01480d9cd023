import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { folders } from '../support/documents/folders.ts'
import { ask, onTerminal, quick, refusal, type Where } from '../support/program/command.ts'
import { ENGINES } from '../support/program/workspace.ts'
import { newDatabase } from '../support/store/store-places.ts'

const QUESTION = 'Have you looked at these, and are they right?'
const DOUBT = /✗ callers.*task\.create of \S+ as gemini at \S+: BATON_AGENT named codex/

for (const engine of ENGINES)
  describe(`an entry whose caller is in doubt, on ${engine}`, () => {
    it('[T4] is named by doctor until a person has looked, and a coding agent cannot say so', async (t) => {
      const env: Record<string, string> = engine === 'postgres' ? { BATON_STORE: await newDatabase() } : {}
      const where: Where = { cwd: folders(t).repository('shop'), env }
      const agent = { ...where, env: { ...env, CLAUDECODE: '1', BATON_AGENT: 'codex' } }
      const create = (id: string) => ['task', 'create', id, '--title', 'Work', '--as', 'gemini']
      await ask(where, ...create('T1'))
      assert.match((await quick(where, 'doctor')).stdout, /✓ callers/)
      await ask(agent, ...create('T2'))

      const found = await quick(where, 'doctor')
      assert.equal(found.code, 8)
      assert.match(found.stdout, DOUBT)
      assert.equal((await refusal(agent, 'trust')).code, 'not_allowed')
      const { code, shown } = onTerminal(where, ['trust'], { steps: [[QUESTION, 'y\n']] })
      assert.equal(code, 0, shown)
      assert.match(shown, /The caller of 1 entry is in doubt/)
      assert.match((await quick(where, 'doctor')).stdout, /✓ callers/)
      await ask(agent, ...create('T3'))
      assert.match((await quick(where, 'doctor')).stdout, DOUBT)
    })
  })

describe('a decision at a terminal', () => {
  const decidedAt = async (cwd: string, terminalSeconds: number): Promise<string> => {
    const where: Where = { cwd }
    await ask(where, 'agent', 'add', 'maria', '--kind', 'human')
    const { handoff } = await ask<{ handoff: { id: string } }>(
      where,
      ...['send', '--as', 'codex', '--to', 'maria', '--type', 'gate', '--title', 'A design'],
      ...['--summary', 'The design is done and has to be looked at'],
    )
    const decide = ['decide', handoff.id, 'approve', '--as', 'maria']
    const { code, shown } = onTerminal(where, decide, { steps: [['approve HO-', 'y\n']], terminalSeconds })
    assert.equal(code, 0, shown)
    return (await quick(where, 'doctor')).stdout
  }

  it('[T12] is in doubt where the terminal was opened for it, and not in one that was open before', async (t) => {
    const place = folders(t)
    const byProgram = /gate\.approve .*: (the terminal was opened for this command alone|\w+ is set)/
    const [opened, before] = [
      await decidedAt(place.repository('a/shop'), 0),
      await decidedAt(place.repository('b/shop'), 1.2),
    ]

    assert.match(opened, byProgram)
    assert.doesNotMatch(before, /the terminal was opened/)
  })
})
