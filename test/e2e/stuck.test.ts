import assert from 'node:assert/strict'
import { it } from 'node:test'
import { folders } from '../support/documents/folders.ts'
import { ask, quick } from '../support/program/command.ts'

it('baton status lists stuck work with its reason and a command that moves it', async (t) => {
  const where = { cwd: folders(t).repository('shop'), env: { BATON_AGENT: 'planner' } }
  const send = (to: string) => ask(where, 'send', '--to', to, '--title', `For ${to}`, '--deliverable', 'Docs')
  for (const to of ['codex', 'gemini', 'claude', 'grok']) await send(to)
  await ask(where, 'reject', '1', '--as', 'codex', '--reason', 'no access')
  await ask(where, 'ask', '2', 'Which endpoints?', '--as', 'gemini')
  await ask(where, 'accept', '3', '--as', 'claude')
  await ask(where, 'handoff', 'heartbeat', '3', '--as', 'claude', '--blocked', 'the build is down')

  const { stuck } = await ask<{ stuck: { id: string; with: string; why: string; next: string }[] }>(
    where,
    'status',
  )

  assert.deepEqual(
    stuck.map(({ id, with: who, why, next }) => [id.slice(-3), who, why, next.replace(/HO-\d+-/, '')]),
    [
      ['003', 'claude', 'the build is down', 'baton show 003'],
      ['002', 'planner', 'Which endpoints?', 'baton answer 002 "…"'],
      ['001', 'codex', 'no access', 'baton resend 001'],
    ],
  )
  await ask(where, 'resend', '1', '--to', 'grok')
  await ask(where, 'answer', '2', 'Only /v1')
  const after = await quick(where, 'status')
  assert.match(after.stdout, /-003\tclaude\t/)
  assert.doesNotMatch(after.stdout, /no access|Which endpoints/)
})
