import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { folders } from '../support/documents/folders.ts'
import { ask, onTerminal, quick, refusal, trusted, type Where } from '../support/program/command.ts'

describe('settings that a person trusted', () => {
  const LIMITS = 'agents: {codex: {limits: {incoming: 1}}, planner: {}, maria: {kind: human}}\n'

  it('stay in force for every home when the file is changed or deleted, and other edits ask nothing', async (t) => {
    const place = folders(t)
    const where: Where = { cwd: place.repository('shop') }
    const file = place.file('shop/baton.yaml', LIMITS)
    const send = ['send', '--as', 'planner', '--to', 'codex', '--title', 'X']
    trusted(where)
    await ask(where, ...send)
    const refused = async (from: Where) => assert.equal((await refusal(from, ...send)).code, 'limit_exceeded')

    for (const text of [
      'agents: {codex: {limits: {incoming: 9}}, planner: {}, maria: {kind: human}}\n',
      '# nothing\n',
      undefined,
    ]) {
      if (text === undefined) rmSync(file)
      else writeFileSync(file, text)
      await refused(where)
      // Whoever names another home has no other limits by it.
      await refused({ ...where, env: { BATON_HOME: place.folder('empty') } })
      assert.match((await quick(where, 'inbox')).stderr, /agents.*baton trust/)
      assert.equal((await quick(where, 'trust', '--check')).code, 4)
    }
    writeFileSync(file, `# a comment\n${LIMITS}people: {remind: 4h}\ninstall: baton.example.com\n`)
    assert.equal((await quick(where, 'inbox', '--as', 'codex')).stderr, '')
    assert.equal((await quick(where, 'trust', '--check')).code, 0)
  })

  it('are those that init wrote for a person at a terminal; a coding agent trusts nothing by it', async (t) => {
    const place = folders(t)
    for (const [name, env, isTrusted] of [
      ['shop', {}, true],
      ['theirs', { CLAUDECODE: '1' }, false],
    ] as const) {
      const where: Where = { cwd: place.repository(name), env }
      onTerminal(where, ['init', '--dialect', 'markdown'], { steps: [['Write these?', 'y\n']] })
      assert.equal((await ask(where, 'trust', '--check', '--as', 'codex')).trusted, isTrusted, name)
    }
  })
})
