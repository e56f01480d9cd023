import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { ask, doctorFinds, onTerminal, quick, type Where } from '../support/program/command.ts'
import { formsOf } from '../support/store/secrets.ts'
import { active, aHandoffFolder, whats } from './handoffs.ts'
import { aPackageFolder, archived } from './package.ts'
import { aQueueFolder } from './queue.ts'
import { until } from './until.ts'
import { aWatcher } from './watcher.ts'

const newSecret = (): string => `sk-live-${randomBytes(12).toString('hex')}`

/** Every file below the project that holds a text, in whatever form. Git's own are beyond Baton's reach. */
function filesWith(root: string, secret: string, folder = ''): readonly string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.isDirectory()) return path === '.git' ? [] : filesWith(root, secret, path)
    if (!lstatSync(join(root, path)).isFile()) return []
    const bytes = readFileSync(join(root, path))
    return formsOf(secret).some((form) => bytes.includes(form)) ? [path] : []
  })
}

function redact(where: Where, id: string, field: string): string {
  const args = ['audit', 'redact', id, '--field', field, '--reason', 'leaked-key']
  const { code, shown } = onTerminal(where, args, { steps: [['for good?', 'y\r']], columns: 200 })
  assert.equal(code, 0, shown)
  return shown
}

const amend = (where: Where, as: string, id: string, field: string, text: string): Promise<unknown> =>
  ask(where, 'handoff', 'amend', id, '--as', as, `--${field}`, text)

function put(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

/** Files, folders and engine agree, the log holds, and a pass has nothing left to do. */
async function isWell(where: Where): Promise<void> {
  assert.deepEqual(whats((await ask<{ happened: [] }>(where, 'folders', 'sync')).happened), [])
  const found = await doctorOf(where)
  assert.equal(found.clean, true, JSON.stringify(found))
  assert.deepEqual(await doctorFinds(where), ['callers'])
}

const doctorOf = async (where: Where): Promise<{ clean: boolean }> =>
  JSON.parse((await quick(where, 'folders', 'doctor', '--json')).stdout)

describe('what is redacted', () => {
  it('is gone from what a file says was asked, also where it was cut in the middle', async (t) => {
    const folder = await aHandoffFolder(t)
    const secret = newSecret()
    const id = await folder.send('BPRD-2026-0001')
    await ask(folder.where, 'accept', id, '--as', 'claude')
    await quick(
      folder.where,
      'ask',
      id,
      `${'x'.repeat(980)} the word is tortoise-${secret.slice(8)}`,
      '--as',
      'claude',
    )
    const before = folder.read(active(id)).includes('the word is tort')

    redact(folder.where, id, 'question')

    assert.equal(before, true)
    assert.equal(folder.read(active(id)).includes('the word is tort'), false)
    await isWell(folder.where)
  })

  it('is in no file of _handoffs/, in no note beside one, and in nothing that is known of them', async (t) => {
    const folder = await aHandoffFolder(t)
    const secret = newSecret()
    const purpose = `Use the key ${secret} for the upload`
    const id = await folder.send('BPRD-2026-0001')
    await amend(folder.where, 'grok', id, 'purpose', purpose)
    const other = await folder.send('BPRD-2026-0002', '--to', 'gemini')
    // Its author quotes it in the body, in a key of his own and in a comment.
    folder.write(
      active(id),
      folder
        .read(active(id))
        .replace('\ntitle:', `\n# the key: ${secret}\nown_note: "${secret}"\ntitle:`)
        .concat(`\n## Notes\n\nSee ${secret}.\n`),
    )
    await folder.sync()
    folder.edit(id, ['to_agent: claude', 'to_agent: gemini'])
    await folder.sync()
    folder.write(active(other), folder.read(active(other)).concat(`\nHow to: ${purpose}.\n`))
    folder.write('_handoffs/active/mine.md', `My own page: ${secret}\n`)
    await folder.sync()
    const before = filesWith(folder.root, secret)

    const shown = redact(folder.where, id, 'purpose')

    for (const path of [active(id), active(other), `${active(id)}.problem`, '.baton/folders.db'])
      assert.ok(before.includes(path), `${path} is not in ${before}`)
    assert.ok(
      before.some((path) => path.startsWith('.baton/replaced/')),
      before.join(),
    )
    assert.deepEqual(filesWith(folder.root, secret), ['_handoffs/active/mine.md'])
    assert.match(shown, /_handoffs\/active\/mine\.md, which somebody else wrote/)
    assert.match(folder.read(active(id)), /purpose: ['"]?\[redacted\]/)
    assert.match(folder.read(active(other)), /How to: \[redacted\]\./)
    assert.match(folder.read(`${active(id)}.problem`), /The text that was kept on this page was redacted\./)
    await isWell(folder.where)
    assert.deepEqual(filesWith(folder.root, secret), ['_handoffs/active/mine.md'])
  })

  it('is in no file of handoffs/ and artifacts/ that Baton wrote, and other files are named', async (t) => {
    const folder = await aQueueFolder(t)
    const secret = newSecret()
    const { createHandoffRequest, processHandoffRequest } = await import('../../src/queue.ts')
    const options = { cwd: folder.root, print: () => undefined }
    const input = { token: secret, nested: { list: [`Bearer ${secret}`] } }
    const id = await createHandoffRequest('frontend-specialist', 'react-specialist', input, options)
    folder.put('pending', id, { ...folder.file('pending', id), note: `remember ${secret}` })
    await folder.sync()
    folder.put('pending', id, {
      ...folder.file('pending', id),
      handoff_id: id,
      timestamp: '2020-01-01T00:00:00Z',
    })
    await folder.sync()
    const path = 'artifacts/phase-13-react/artifact-react-comp-1.json'
    folder.write(path, JSON.stringify({ used: secret }))
    await processHandoffRequest(id, () => ({ id: 'artifact-react-comp-1', path }), options)
    folder.write('context/project-context.json', JSON.stringify({ token: secret }))
    const before = filesWith(folder.root, secret)

    const shown = redact(folder.where, id, 'input')

    assert.ok(before.includes(`handoffs/completed/${id}.json`), before.join())
    assert.ok(before.includes(`handoffs/pending/${id}.json.problem`), before.join())
    assert.deepEqual(filesWith(folder.root, secret), [path, 'context/project-context.json'])
    for (const left of [path, 'context/project-context.json'])
      assert.ok(shown.includes(`${left}, which somebody else wrote`), shown)
    assert.deepEqual(folder.placesOf(id), ['completed'])
    await isWell(folder.where)
    assert.deepEqual(filesWith(folder.root, secret), [path, 'context/project-context.json'])
  })

  it('takes an artifact along that Baton stored and put there', async (t) => {
    const folder = await aQueueFolder(t)
    const secret = newSecret()
    const { openBaton } = await import('../../src/index.ts')
    const where = folder.where
    const send = ['send', '--as', 'frontend-specialist', '--to', 'react-specialist', '--title', 'Build']
    const { handoff } = await ask<{ handoff: { id: string } }>(where, ...send, '--summary', `Use ${secret}`)
    const baton = await openBaton({ cwd: folder.root })
    const done = Promise.withResolvers<void>()
    void baton.specialist('react-specialist', {}, async (work) => {
      const artifact = await work.artifact('react-components', { quoted: `Use ${secret}` })
      done.resolve()
      return { artifact, validation: { tests_passing: true, coverage_percentage: 90 } }
    })
    await done.promise
    await baton.as('frontend-specialist').wait(handoff.id, { timeout_s: 60 })
    await baton.close()
    await folder.sync()
    const before = filesWith(folder.root, secret)

    redact(where, handoff.id, 'summary')

    assert.ok(
      before.some((path) => path.startsWith('artifacts/phase-13')),
      before.join(),
    )
    assert.deepEqual(filesWith(folder.root, secret), [])
    await isWell(where)
  })

  it('is in no package of document 004 and in no copy that was kept of one', async (t) => {
    const folder = await aPackageFolder(t)
    const secret = newSecret()
    const id = await folder.send()
    await amend(folder.where, 'architect', id, 'summary', `The login key is\n${secret}, and more`)
    folder.write(archived(id), `${folder.read(archived(id))}x_mine: "${secret}"\n# ${secret}\n`)
    await folder.sync()
    folder.edit(archived(id), 'agent: architect', 'agent: mallory')
    await folder.sync()
    put(folder.root, `${dirname(archived(id))}/notes.txt`, secret)
    const before = filesWith(folder.root, secret)

    const shown = redact(folder.where, id, 'summary')

    for (const path of [archived(id), `${archived(id)}.problem`, '.baton/folders.db'])
      assert.ok(before.includes(path), `${path} is not in ${before}`)
    assert.deepEqual(filesWith(folder.root, secret), [`${dirname(archived(id))}/notes.txt`])
    assert.match(shown, /notes\.txt, which somebody else wrote/)
    await isWell(folder.where)
  })

  it('is gone as well while a watcher is at work and keeps what it knows open', async (t) => {
    const folder = await aHandoffFolder(t)
    const secret = newSecret()
    await aWatcher(t, folder.where)
    const id = await folder.send('BPRD-2026-0001')
    await amend(folder.where, 'grok', id, 'purpose', `Use the key ${secret}`)
    folder.edit(id, ['to_agent: claude', 'to_agent: gemini'])
    await until(() => folder.has(`${active(id)}.problem`) && /claude/.test(folder.read(active(id))))

    redact(folder.where, id, 'purpose')

    assert.deepEqual(filesWith(folder.root, secret), [])
    await until(async () => (await doctorOf(folder.where)).clean)
    assert.deepEqual(filesWith(folder.root, secret), [])
  })

  it('leaves files of other handoffs alone that have a long word in common with it', async (t) => {
    const folder = await aHandoffFolder(t)
    const link = 'https://example.org/docs/architecture/overview'
    const id = await folder.send('BPRD-2026-0001')
    await amend(folder.where, 'grok', id, 'purpose', `Read ${link} and use the password hunter2!x`)
    const other = await folder.send('BPRD-2026-0002', '--to', 'gemini')
    await amend(folder.where, 'grok', other, 'purpose', `Translate ${link}`)
    folder.write(active(other), folder.read(active(other)).concat('\nMine.\n'))
    await folder.sync()
    const before = folder.read(active(other))

    redact(folder.where, id, 'purpose')

    assert.equal(folder.read(active(other)), before)
    assert.doesNotMatch(folder.read(active(id)), /hunter2/)
    await isWell(folder.where)
  })
})
