import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { parse } from 'yaml'
import { ask } from '../support/program/command.ts'
import { foreign } from './foreign.ts'
import { active, aHandoffFolder } from './handoffs.ts'

const TASK = 'BPRD-2026-0777'
const NOTES = '\n## My notes\nkeep  me \n\n```\n### Purpose\nnot this\n```\n'

describe('the front matter of a handoff of document 000', () => {
  it('[S0-56] says the same to readers of YAML 1.1, when it is made and when it is changed', async (t) => {
    const folder = await aHandoffFolder(t)
    const odd = ['2026-01-01', 'off', '=', '0b11', '1_000', '017', '12:30:45', '<<', '2026-1-2 3:04:05', '~']
    const deliverables = odd.flatMap((each) => ['--deliverable', each])
    const id = await folder.create(TASK, ...deliverables)
    const words = ['--title', 'yes', '--purpose', '12:30', '--context', 'on']
    await ask(folder.where, 'edit', id, '--replace', '--as', 'grok', ...words)
    rmSync(join(folder.root, active(id)))
    await folder.sync()
    const read = () => parse(folder.read(active(id)).split('---\n')[1] ?? '', { version: '1.1' })

    const made = read()
    assert.deepEqual([made.title, made.purpose, made.context], ['yes', '12:30', 'on'])
    assert.deepEqual(made.deliverables, ['Middleware', 'Documentation', ...odd])
    assert.match(folder.read(active(id)), /^ {2}- "="$/m)
    assert.match(folder.read(active(id)), /^created_at: \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/m)

    const more = ['--title', 'No', '--purpose', '=', '--deliverable', '=', '--deliverable', '1:30']
    await ask(folder.where, 'edit', id, '--replace', '--as', 'grok', ...more)
    const changed = read()
    assert.deepEqual([changed.title, changed.deliverables], ['No', ['=', '1:30']])
    assert.match(folder.read(active(id)), /^purpose: "="$/m)
  })
})

describe('the body of a handoff of document 000', () => {
  it("[S0-69] keeps an author's heading that names no role", async (t) => {
    const folder = await aHandoffFolder(t)
    const { id, text } = foreign()
    const sides = '# Handoff: Add limits\n\n## From: Grok\n## To: Claude\n'
    await folder.sync()

    folder.write(active(id), text.replace('# Handoff: Add limits\n', sides))
    await folder.sync()
    await ask(folder.where, 'accept', id, '--as', 'claude')

    assert.ok(folder.read(active(id)).includes(sides))
  })

  it("[S0-70] [S0-72] [S0-73] follows what is amended, and an author's own sections stay as they are", async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await folder.create(TASK, '--constraint', 'max 2 h')
    folder.write(active(id), folder.read(active(id)) + NOTES)
    await folder.sync()
    const amend = (...more: readonly string[]) =>
      ask(folder.where, 'edit', id, '--replace', '--as', 'grok', ...more)

    await amend('--criterion', 'lint passes', '--title', 'New: title', '--purpose', 'New purpose')
    await ask(folder.where, 'send', id, '--as', 'grok')
    await amend('--constraint', 'never touch billing', '--decision', 'Use Redis')

    const text = folder.read(active(id))
    const body = text.slice(text.indexOf('\n---\n') + 5)
    assert.match(body, /^\n# Handoff: New: title\n\n## From: Grok/)
    assert.match(body, /\n### Purpose\nNew purpose\n\n### Context\nLaunch is near\n\n### Deliverables\n/)
    assert.match(
      body,
      /\n### Verification Criteria\n- lint passes\n\n### Constraints\n- never touch billing\n\n/,
    )
    assert.match(body, /\n### Decisions\n- Use Redis\n\n### Timeline\n- Created: .*\n- Expires if not ack/)
    assert.ok(text.endsWith(NOTES))
    assert.equal(body.match(/^### /gm)?.length, 9)
  })

  it('[S0-72] keeps a section that its author changed, and what was added since is there too', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await folder.send(TASK, '--constraint', 'max 2 h')
    folder.edit(id, ['- max 2 h\n', '- max 2 h, or call me\n'], ['### Context\n', '### Context\nMind this. '])
    await folder.sync()

    const more = ['--constraint', 'never touch billing', '--context', 'Launch was moved']
    await ask(folder.where, 'edit', id, '--replace', '--as', 'grok', ...more)

    const text = folder.read(active(id))
    assert.match(text, /\n### Constraints\n- never touch billing\n- max 2 h, or call me\n/)
    assert.match(text, /\n### Context\nMind this. Launch is near\n/)
    assert.match(text, /^context: Launch was moved$/m)
  })

  it('[S0-72] [S0-73] has what is amended once, and what its author quotes between fences stays', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await folder.create(TASK)
    const quoted =
      '\n```md\n### Constraints\n- example\n\n### Deliverables\n- Middleware\n- Documentation\n\n```\n'
    folder.write(active(id), `${folder.read(active(id))}\n### Mine\nx\n${quoted}`)
    await folder.sync()

    const more = [
      '--context',
      'Launch is near\n\nSecond paragraph',
      '--constraint',
      'c1',
      '--deliverable',
      'D2',
    ]
    await ask(folder.where, 'edit', id, '--replace', '--as', 'grok', ...more)

    const text = folder.read(active(id))
    const body = text.slice(text.indexOf('\n---\n') + 5)
    assert.equal(body.match(/Second paragraph/g)?.length, 1)
    assert.match(body, /\n### Context\nLaunch is near\n\nSecond paragraph\n\n### Deliverables\n- D2\n/)
    assert.match(body, /\n### Constraints\n- c1\n\n/)
    assert.ok(text.endsWith(`\n### Mine\nx\n${quoted}`))
  })

  it('[S0-72] does not bring back what its author changed while it was not kept what Baton wrote', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await folder.send(TASK, '--constraint', 'max 2 h')
    folder.edit(id, ['- max 2 h\n', '- max 2 h, or call me\n'])
    await folder.sync()
    const kept = new DatabaseSync(join(folder.root, '.baton', 'folders.db'))
    kept.exec(`UPDATE file SET facts = json_remove(facts, '$.made')`)
    kept.close()

    await ask(folder.where, 'accept', id, '--as', 'claude')

    assert.match(folder.read(active(id)), /\n### Constraints\n- max 2 h, or call me\n\n/)
  })

  it('[S0-70] [S0-72] follows what its author changes in the front matter', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await folder.create(TASK)
    folder.edit(id, ['title: Implement API Rate Limiting', 'title: Limits'], ['purpose: The', 'purpose: Our'])
    await folder.sync()

    assert.match(folder.read(active(id)), /\n# Handoff: Limits\n(?:.*\n)*### Purpose\nOur API needs limits\n/)
  })
})
