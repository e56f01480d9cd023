import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { overStdio } from '../mcp/agents.ts'
import { folders } from '../support/documents/folders.ts'
import { baton } from '../support/program/command.ts'

it('what an agent does over MCP is in the live folder when it is answered, and files count before it', async (t) => {
  const made = folders(t)
  const where = { cwd: made.repository('project'), env: { BATON_HOME: made.folder('home') } }
  assert.equal((await baton(where, 'init', '--dialect', 'markdown')).code, 0)
  const grok = await overStdio(t, where, ['--agent', 'grok'])
  const claude = await overStdio(t, where, ['--agent', 'claude'])

  const { handoff } = await grok.call<{ handoff: { id: string } }>('handoff_send', {
    to: 'claude',
    home: 'markdown',
    task: 'BPRD-2026-0042',
    title: 'Implement API Rate Limiting',
    purpose: 'Protect the API',
    context: 'Launch in March',
    deliverables: ['Middleware'],
    criteria: ['npm test passes'],
    links: { meeting: 'meetings/x.md', skill: 'skills/x' },
  })
  const file = join(where.cwd, '_handoffs/active', `${handoff.id}.md`)
  assert.ok(existsSync(file))

  const text = readFileSync(file, 'utf8')
  const edited = text
    .replace('status: Active', 'status: Acknowledged')
    .replace('acknowledged_by: null', 'acknowledged_by: claude')
  assert.notEqual(edited, text)
  writeFileSync(file, edited)
  await claude.call('handoff_submit', {
    id: handoff.id,
    evidence: [{ deliverable: 'Middleware', evidence: 'PR #123' }],
  })

  assert.match(readFileSync(file, 'utf8'), /PR #123/)
})
