import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { folders } from '../support/documents/folders.ts'
import { ask, refusal } from '../support/program/command.ts'

const QUEUE = `formats:
  masters:
    base: queue
    keys: { from_master: source.agent_id, to_master: target.agent_id, created_at: timestamp, task_data: input.data }
    states: { pending_pickup: pending, picked_up: in_progress, done: completed, broken: failed }
    folders: { inbox: handoffs/pending, desk: handoffs/in-progress, out: handoffs/completed, broken: handoffs/failed }
folders:
  - { dialect: queue, path: coordination, format: masters }
`
const REQUEST = `{
  "handoff_id": "coord-1",
  "from_master": "coordinator",
  "to_master": "development",
  "status": "pending_pickup",
  "task_data": { "title": "Create dashboards" },
  "mine":   2.50
}
`

const MARKDOWN = `formats:
  notes:
    base: markdown
    keys: { author: from_agent, reader: to_agent, ticket: related_task, why: purpose }
    states: { open: Active, seen: Acknowledged, refused: Rejected }
    folders: { open: active, closed: archived }
folders:
  - { dialect: markdown, path: notes, format: notes }
`
const NOTE = `---
# written by hand
handoff_id: handoff-grok-claude-BPRD-2026-0042-20261116
author: grok
reader: claude
ticket: BPRD-2026-0042
status: open
created_at: 2026-11-16T14:30:00Z
updated_at: 2026-11-16T14:30:00Z
expires_at: 2099-11-16T18:30:00Z
title: Rate limiting
why: The API needs limits before launch.
context: The plan was agreed on in the standup.
deliverables: [Middleware]
verification_criteria: [Tests pass]
source_meeting: meetings/1.md
skill_web_node: api
---

Please begin today.
`

async function aTeam(t: { after(clean: () => void): void }, config: string) {
  const root = folders(t).repository('project')
  writeFileSync(join(root, 'baton.yaml'), config)
  await ask({ cwd: root }, 'init')
  await ask({ cwd: root }, 'folders', 'sync')
  const at = (path: string): string => join(root, path)
  return {
    where: { cwd: root },
    sync: () => ask<{ happened?: unknown }>({ cwd: root }, 'folders', 'sync'),
    text: (path: string) => readFileSync(at(path), 'utf8'),
    write: (path: string, text: string) => {
      mkdirSync(dirname(at(path)), { recursive: true })
      writeFileSync(at(path), text)
    },
    move: (from: string, to: string) => renameSync(at(from), at(to)),
    remove: (path: string) => rmSync(at(path)),
    names: (path: string) => readdirSync(at(path)),
    state: async (id: string) =>
      (await ask<{ handoff: { state: string } }>({ cwd: root }, 'show', id)).handoff.state,
  }
}

describe("a live folder in a team's own format", () => {
  it('takes a request in, hands it out and ends it in the keys, words and folders of the team', async (t) => {
    const team = await aTeam(t, QUEUE)
    team.write('coordination/inbox/coord-1.json', REQUEST)
    await team.sync()
    assert.equal(await team.state('coord-1'), 'offered')

    await ask(team.where, 'accept', 'coord-1', '--as', 'development')
    await team.sync()
    const taken = team.text('coordination/desk/coord-1.json')
    assert.deepEqual(team.names('coordination/inbox'), [])
    assert.ok(taken.startsWith(REQUEST.replace('pending_pickup', 'picked_up').slice(0, -3)), taken)

    team.write('coordination/artifacts/phase-13-x/a.json', '{}')
    const output = { artifact_id: 'a', artifact_path: 'artifacts/phase-13-x/a.json' }
    const answer = { ...JSON.parse(taken), status: 'done', output }
    team.write('coordination/out/coord-1.json', JSON.stringify(answer))
    team.remove('coordination/desk/coord-1.json')
    await team.sync()
    assert.equal(await team.state('coord-1'), 'completed')
    assert.equal(JSON.parse(team.text('coordination/out/coord-1.json')).status, 'done')
    assert.deepEqual(await ask(team.where, 'folders', 'doctor'), { clean: true, findings: [] })
  })

  it('writes what is sent by command as the team writes it', async (t) => {
    const team = await aTeam(t, QUEUE)
    const { handoff } = await ask<{ handoff: { id: string } }>(
      team.where,
      ...['send', '--as', 'coordinator', '--to', 'development', '--home', 'queue'],
      ...['--title', 'Second', '--summary', 'Build the second board as agreed'],
    )
    await team.sync()

    const file = JSON.parse(team.text(`coordination/inbox/${handoff.id}.json`))
    assert.deepEqual(
      [file.from_master, file.to_master, file.status],
      ['coordinator', 'development', 'pending_pickup'],
    )
  })

  it('keeps the rules of its base: a move out of turn is refused and put back', async (t) => {
    const team = await aTeam(t, QUEUE)
    team.write('coordination/inbox/coord-1.json', REQUEST)
    await team.sync()
    await ask(team.where, 'accept', 'coord-1', '--as', 'development')
    await team.sync()

    team.move('coordination/desk/coord-1.json', 'coordination/inbox/coord-1.json')
    await team.sync()

    assert.equal(await team.state('coord-1'), 'in_progress')
    assert.ok(team.names('coordination/desk').includes('coord-1.json'))
    assert.ok(team.names('coordination/inbox').includes('coord-1.json.problem'))
  })

  it('keeps the comments and the body of markdown', async (t) => {
    const team = await aTeam(t, MARKDOWN)
    const name = 'handoff-grok-claude-BPRD-2026-0042-20261116.md'
    team.write(`notes/open/${name}`, NOTE)
    await team.sync()
    assert.equal(await team.state(name.slice(0, -3)), 'offered')

    const there = team.text(`notes/open/${name}`)
    const said = `status: refused\nrejection_reason: no time\nrejected_by: claude`
    team.write(`notes/open/${name}`, there.replace('status: open', said))
    await team.sync()

    assert.equal(await team.state(name.slice(0, -3)), 'rejected')
    const [year] = team.names('notes/closed')
    const [month] = team.names(`notes/closed/${year}`)
    const text = team.text(`notes/closed/${year}/${month}/${name}`)
    assert.match(text, /^# written by hand$/m)
    assert.match(text, /^author: grok$/m)
    assert.match(text, /^status: refused$/m)
    assert.match(text, /\n\nPlease begin today\.\n/)
  })

  it('is checked, converted and exported by its name', async (t) => {
    const team = await aTeam(t, QUEUE)
    team.write('elsewhere/coord-2.json', REQUEST.replace('coord-1', 'coord-2'))

    const { documents } = await ask<{ documents: { dialect: string; ok: boolean }[] }>(
      team.where,
      ...['check', 'elsewhere/coord-2.json'],
    )
    assert.deepEqual(
      documents.map(({ dialect, ok }) => [dialect, ok]),
      [['queue', true]],
    )
    const { text } = await ask<{ text: string }>(
      team.where,
      ...['convert', 'elsewhere/coord-2.json', '--to', 'package'],
    )
    assert.match(text, /agent: coordinator/)
    await ask(team.where, 'import', 'elsewhere/coord-2.json')
    const back = await ask<{ text: string }>(team.where, 'export', 'coord-2')
    assert.equal(back.text, REQUEST.replace('coord-1', 'coord-2'))
    const { message } = await refusal(team.where, 'convert', 'elsewhere/coord-2.json', '--to', 'nobodys')
    assert.match(message, /nobodys is not a format; use markdown, .*package or masters/)
  })

  it('is refused in baton.yaml where a key stands for none of the base', async (t) => {
    const root = folders(t).repository('project')
    writeFileSync(join(root, 'baton.yaml'), QUEUE.replace('source.agent_id', 'source.agentid'))

    const { message } = await refusal({ cwd: root }, 'folders', 'sync')
    assert.match(
      message,
      /baton\.yaml:4:26 formats\.masters\.keys\.from_master: source\.agentid is not a key of the queue format/,
    )
  })

  it('is refused in baton.yaml where its folder names another base', async (t) => {
    const root = folders(t).repository('project')
    writeFileSync(join(root, 'baton.yaml'), QUEUE.replace('base: queue', 'base: package'))

    const { message } = await refusal({ cwd: root }, 'folders', 'sync')
    assert.match(message, /folders\.0\.format: "masters": name a format of formats: whose base is queue/)
  })
})
