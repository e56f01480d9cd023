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
      ['003', 'claude', 'the build is down', 'baton reassign 003 --to <agent>'],
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

it('baton status names the way on for work that was handed in with a failed check', async (t) => {
  const where = { cwd: folders(t).repository('shop') }
  await ask(
    where,
    'send',
    '--to',
    'codex',
    '--title',
    'Work',
    '--deliverable',
    'Docs',
    '--check',
    'file:a.md',
  )
  await ask(where, 'accept', '1', '--as', 'codex')
  await quick(where, 'submit', '1', '--as', 'codex', '--evidence', 'Docs=a.md')

  const { stuck } = await ask<{ stuck: { id: string; next: string }[] }>(where, 'status')

  assert.deepEqual(
    stuck.map(({ next }) => next),
    [`baton verify ${stuck[0]?.id} --fail -m "…"`],
  )
  await ask(where, 'verify', '1', '--fail', '-m', 'a.md is not there')
  assert.deepEqual((await ask<{ stuck: unknown[] }>(where, 'status')).stuck, [])
})

it('baton status says of failed work when it is tried again', async (t) => {
  const where = { cwd: folders(t).repository('shop') }
  const retry = '{"max": 3, "delay_s": 600, "multiplier": 2}'
  await ask(where, 'send', '--to', 'codex', '--title', 'Work', '--retry', retry)
  await ask(where, 'accept', '1', '--as', 'codex')
  const fail = ['fail', '1', '--as', 'codex', '-m', 'no disk']
  const { handoff } = await ask<{ handoff: { id: string; not_before: string } }>(where, ...fail)

  const { stdout } = await quick(where, 'status')

  const { id, not_before } = handoff
  assert.ok(stdout.includes(`\tWork: no disk; next try ${not_before}\tbaton retry ${id}\n`), stdout)
})

it('baton show names the handoff that replaces an ended one, and in that one the old', async (t) => {
  const where = { cwd: folders(t).repository('shop') }
  await ask(where, 'send', '--to', 'codex', '--title', 'Work')
  await ask(where, 'reject', '1', '--as', 'codex', '-m', 'no access')
  await ask(where, 'resend', '1', '--to', 'gemini')

  assert.match((await quick(where, 'show', '1')).stdout, /^Sent again\tas HO-\d{4}-002$/m)
  assert.match((await quick(where, 'show', '2')).stdout, /^Replaces\tHO-\d{4}-001$/m)
})
