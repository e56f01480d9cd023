import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it, type TestContext } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { collect, historyOf, summary } from '../../../test/support/documents/blocks.ts'
import { markdownDocument, recordDocument } from '../../../test/support/documents/documents.ts'
import { newKeys } from '../../../test/support/log/audit.ts'
import { by, describeOnEngines, person, type Workspace } from '../../../test/support/program/workspace.ts'
import { formsOf, placesOf } from '../../../test/support/store/secrets.ts'
import { backup } from '../../archive/store-backup.ts'
import { decodeEntry } from '../../audit/entry.ts'
import type { Redacted } from '../../domain/audit-answers.ts'
import { loadOperation, type OperationName } from '../../operations/index.ts'
import { invoke } from '../../operations/operation.ts'

const maria = person('maria')
const sender = by('planner')
const codex = by('codex')

/** A secret that no other test has: PostgreSQL is searched as a whole. One word, as the search index holds it. */
const newSecret = (): string => `sklive${randomBytes(12).toString('hex')}`

const called = async <T = unknown>(w: Workspace, name: OperationName, input: object, call = maria) =>
  (await invoke(await loadOperation(name), w.service, call, input)) as T

/** After a search, so that the words are in the index. */
async function redacted(w: Workspace, id: string, field: string): Promise<Redacted> {
  await called(w, 'handoff_list', { text: 'sklive' })
  return called<Redacted>(w, 'audit_redact', { id, field, reason: 'leaked-key' })
}

/** Everything that a caller can be shown of the workspace. */
async function shown(w: Workspace, ids: { handoffs?: string[]; tasks?: string[]; documents?: string[] }) {
  const answers: unknown[] = []
  for (const id of ids.handoffs ?? []) answers.push(await called(w, 'handoff_get', { id }))
  for (const id of ids.tasks ?? [])
    for (const name of ['task_get', 'task_brief', 'task_log'] as const)
      answers.push(await called(w, name, { id }))
  for (const id of ids.documents ?? []) answers.push(await called(w, 'document_export', { id }))
  for (const name of ['planner', 'codex', 'grok', 'claude'])
    answers.push(await called(w, 'handoff_inbox', {}, by(name)))
  answers.push(await w.store.changes('0', 1_000))
  return JSON.stringify(answers)
}

async function backedUp(t: TestContext, w: Workspace): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'baton-backup-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'backup.jsonl.gz')
  await backup(w.store, file)
  return gunzipSync(readFileSync(file)).toString('latin1')
}

/** The secret is in no file or table, no answer and no backup made from now on. */
async function demandGone(
  t: TestContext,
  w: Workspace,
  secret: string,
  ids: Parameters<typeof shown>[1],
): Promise<void> {
  assert.deepEqual(await placesOf(w.store, secret), [])
  const texts = [await shown(w, ids), await backedUp(t, w)]
  for (const form of formsOf(secret)) for (const text of texts) assert.ok(!text.includes(form))
}

describeOnEngines('redacting', (open) => {
  it('takes a field of a handoff, its copies and its disclosures away, byte for byte', async (t) => {
    const w = await open(t, { keys: newKeys(t).keys })
    const secret = newSecret()
    const { handoff } = await w.service.sending.send(sender, {
      to: 'codex',
      type: 'delegation',
      task: 'P0.1.1',
      title: `Deploy with ${secret}`,
      summary: `Use the key ${secret}.\nThen report.`,
      data: { access: { key: secret } },
      deliverables: ['A running service'],
    })
    await w.service.receiving.accept(codex, handoff.id, { notes: `will use ${secret}` })
    const evidence = [{ deliverable: 'A running service', evidence: `curl -H ${secret}` }]
    await w.service.receiving.submit(codex, handoff.id, {
      evidence,
      note: 'It runs',
      output: { key: secret },
    })
    await w.service.closing.verify(sender, handoff.id, { pass: true })
    const audit = await w.service.audit()
    const before = await audit.checkpoint()
    assert.notDeepEqual(await placesOf(w.store, secret), [])

    const fields = ['title', 'summary', 'data', 'notes', 'evidence', 'output']
    for (const field of fields) assert.equal((await redacted(w, handoff.id, field)).already, false, field)

    const back = `${handoff.id}-R`
    await demandGone(t, w, secret, { handoffs: [handoff.id, back], tasks: ['P0.1.1'] })
    const { handoff: now, content } = await w.service.looking.get(handoff.id)
    assert.equal(now.title, '[redacted]')
    assert.deepEqual(content.package, { summary: '[redacted]', deliverables: ['A running service'] })
    assert.equal((await w.service.looking.get(back)).handoff.title, 'Return: [redacted]')
    assert.equal((await w.store.task('P0.1.1'))?.task.title, '[redacted]')
    const after = await audit.checkpoint()
    assert.ok(after.size > before.size)
    assert.equal((await audit.proof(handoff.id, 100)).pending, 0)
  })

  it('names who still works on it, and takes away what came back once that has ended', async (t) => {
    const w = await open(t, { keys: newKeys(t).keys })
    const secret = newSecret()
    const { handoff } = await w.service.sending.send(sender, {
      to: 'codex',
      title: 'Deploy',
      summary: secret,
    })
    await w.service.receiving.accept(codex, handoff.id)
    const atWork = `codex, which works on ${handoff.id} now: redact it again when that has ended`

    assert.ok((await redacted(w, handoff.id, 'summary')).unreachable.includes(atWork))
    await w.service.receiving.submit(codex, handoff.id, { note: `deployed with ${secret}` })
    const again = await redacted(w, handoff.id, 'note')

    assert.equal(again.unreachable.includes(atWork), false)
    await demandGone(t, w, secret, { handoffs: [handoff.id] })
  })

  it('says in the log which digests are gone, of which field, why and by whom', async (t) => {
    const w = await open(t)
    const { handoff } = await w.service.sending.send(sender, {
      to: 'codex',
      title: 'Deploy',
      summary: newSecret(),
    })
    const [sent] = await w.store.timeline(handoff.uid, handoff.uid, 9)
    const decoded = decodeEntry(sent!.body)
    const { summary, ...sd } = (decoded.ok && (decoded.record.sd as Record<string, string>)) || {}

    const answer = await redacted(w, handoff.id, 'summary')

    const [kept, entry] = await w.store.timeline(handoff.uid, handoff.uid, 9)
    const said = decodeEntry(entry!.body)
    const { sd: _, ...record } = (said.ok && said.record) || {}
    assert.deepEqual(record, {
      act: 'audit.redact',
      actor: { id: 'maria' },
      auth: 'os-user',
      field: 'summary',
      // The rows that held it: their hashes have no salt of their own.
      h: [summary, sd.state, sd['state.2']],
      reason: 'leaked-key',
      sub: { id: handoff.uid, k: 'handoff', rev: 2 },
      ts: w.clock.text,
      v: 1,
    })
    assert.equal(kept!.body, sent!.body)
    assert.equal(kept!.disclosures?.length, sent!.disclosures!.length - 3)
    const { unreachable, ...rest } = answer
    // The log of changes of a server that has much to do is left to its owner.
    const isHeld =
      w.store.info.engine === 'postgres' && unreachable.some((place) => place.startsWith('old bytes'))
    assert.deepEqual(rest, {
      subject: { kind: 'handoff', id: handoff.id },
      field: 'summary',
      reason: 'leaked-key',
      already: false,
      disclosures: 1,
      documents: 1,
      files: [],
      scrubbed: !isHeld,
    })
    assert.match(unreachable.join('\n'), /git commits.*webhooks.*backups.*agents/s)
  })

  it('changes nothing the second time, and leaves no second entry', async (t) => {
    const w = await open(t)
    const given = { to: 'codex', title: 'Deploy', summary: newSecret(), data: { key: newSecret() } }
    const { handoff } = await w.service.sending.send(sender, given)
    for (const field of ['summary', 'data']) await redacted(w, handoff.id, field)
    const { entries } = await w.store.counts()

    for (const field of ['summary', 'data']) {
      const again = await redacted(w, handoff.id, field)
      assert.deepEqual([again.already, again.disclosures, again.documents], [true, 0, 0])
    }

    assert.equal((await w.store.counts()).entries, entries)
  })

  it('takes reasons, questions and answers out of notices and threads, short ones too', async (t) => {
    const w = await open(t)
    const { handoff } = await w.service.sending.send(sender, { to: 'codex', title: 'Deploy' })
    await w.service.receiving.ask(codex, handoff.id, 'Which PIN?')
    await w.service.receiving.answer(sender, handoff.id, '4711')
    await w.service.receiving.reject(codex, handoff.id, { type: 'other', message: 'PIN 4711 is wrong' })

    const { disclosures } = await redacted(w, handoff.id, 'answer')

    assert.equal(disclosures, 2)
    const { handoff: now, content } = await w.service.looking.get(handoff.id)
    assert.equal(now.rejection?.message, 'PIN [redacted] is wrong')
    assert.deepEqual(
      content.thread.map(({ text }) => text),
      ['Which PIN?', '[redacted]'],
    )
    const [answer, notice] = await w.store.noticesAbout([handoff.uid])
    assert.equal(answer?.text, 'planner answered about HO-2026-001: [redacted]')
    assert.equal(notice?.text, 'Handoff rejected: PIN [redacted] is wrong')
    await redacted(w, handoff.id, 'reason')
    assert.deepEqual(await w.store.noticesAbout([handoff.uid]), [
      answer,
      { ...notice, text: 'Handoff rejected: [redacted]' },
    ])
  })

  it('takes a record away, alone when it is named and with all others of its task otherwise', async (t) => {
    const w = await open(t)
    const [one, two] = [newSecret(), newSecret()]
    await w.service.tasks.create(sender, { id: 'P0.1.1', title: 'Set up' })
    const write = (secret: string) =>
      w.service.tasks.record(codex, 'P0.1.1', { summary: `Done with ${secret}.`, notes: `note ${secret}` })
    const [first, second] = [await write(one), await write(two)]

    await redacted(w, first.uid, 'summary')
    await redacted(w, first.uid, 'notes')

    assert.deepEqual(await w.store.record(second.uid), second)
    assert.deepEqual(await w.store.record(first.uid), {
      ...first,
      summary: '[redacted]',
      notes: '[redacted]',
    })
    await demandGone(t, w, one, { tasks: ['P0.1.1'] })
    assert.notDeepEqual(await placesOf(w.store, two), [])
    for (const field of ['summary', 'notes']) await redacted(w, 'P0.1.1', field)
    await demandGone(t, w, two, { tasks: ['P0.1.1'] })
  })

  it('takes a text out of the blocks that said it too', async (t) => {
    const w = await open(t, { keys: newKeys(t).keys })
    const secret = newSecret().replaceAll('-', '')
    const facts = { from: '@scout', to: '@planner', phase: 'Research', task: 'task-1' }
    const said = summary({ ...facts, metrics: { note: `key ${secret}` } }, '# Done')
    const { blocks } = await collect(w.service, { 'a.md': said })
    const id = blocks[0]?.followed?.next?.id ?? ''
    const { package: travelled } = (await w.service.looking.get(id)).content
    const [field] =
      Object.entries(travelled).find(([, value]) => JSON.stringify(value).includes(secret)) ?? []
    assert.notDeepEqual(await placesOf(w.store, secret), [])

    await redacted(w, id, field ?? 'data')

    await demandGone(t, w, secret, { handoffs: [id] })
    assert.deepEqual(
      (await historyOf(w.service)).map(({ raw, status }) => [raw, status]),
      [['[redacted]', 'complete']],
    )
  })

  it('drops the document that an imported handoff or record was read from', async (t) => {
    const w = await open(t)
    const [one, two] = [newSecret(), newSecret()]
    const text = markdownDocument({ title: `Rotate ${one}` })
    const record = recordDocument('P0.1.1', { summary: `The package is set up with ${two}.` })
    await called(w, 'document_import', { text }, sender)
    await called(w, 'document_import', { text: record }, sender)
    const id = 'handoff-grok-claude-BPRD-2026-0042-20260221'
    const [row] = await w.store.latestRecords(1)
    assert.ok(row)

    const answer = await redacted(w, id, 'title')
    await redacted(w, row.uid, 'summary')

    assert.equal(answer.files.length, 1)
    assert.match(answer.unreachable.join('\n'), /SHA-256 of that file/)
    const ids = { handoffs: [id], tasks: [row.task_id, 'BPRD-2026-0042'], documents: [id, row.task_id] }
    await demandGone(t, w, one, ids)
    await demandGone(t, w, two, ids)
  })

  it('refuses a field that is not there and names those that are', async (t) => {
    const w = await open(t)
    const { handoff } = await w.service.sending.send(sender, { to: 'codex', title: 'Deploy', summary: 'Now' })

    await assert.rejects(redacted(w, handoff.id, 'sumary'), {
      code: 'invalid_input',
      message: `${handoff.id} has no field sumary to redact; it has summary, title`,
    })
    await assert.rejects(redacted(w, 'HO-2026-999', 'summary'), { code: 'not_found' })
  })

  it('is refused to whoever is not a person', async (t) => {
    const w = await open(t)
    const { handoff } = await w.service.sending.send(sender, { to: 'codex', title: 'Deploy', summary: 'Now' })

    const input = { id: handoff.id, field: 'summary', reason: 'leaked-key' }
    await assert.rejects(called(w, 'audit_redact', input, codex), { code: 'not_allowed' })

    assert.equal((await w.store.content(handoff.uid))?.package.summary, 'Now')
  })

  it('looks again when somebody writes in between', async (t) => {
    let interrupt = async (): Promise<void> => undefined
    const w = await open(t, {
      wrap: (store) =>
        new Proxy(store, {
          get: (target, name) => {
            const value = Reflect.get(target, name) as unknown
            if (name !== 'noticesAbout') return typeof value === 'function' ? value.bind(target) : value
            return async (uids: readonly string[]) => {
              const notices = await target.noticesAbout(uids)
              await interrupt()
              return notices
            }
          },
        }),
    })
    const [one, two] = [newSecret(), newSecret()]
    const { handoff } = await w.service.sending.send(sender, { to: 'codex', title: 'Deploy', summary: one })
    interrupt = async () => {
      interrupt = async () => undefined
      await w.service.sending.amend(sender, handoff.id, { summary: two })
    }

    const { disclosures } = await redacted(w, handoff.id, 'summary')

    assert.equal(disclosures, 2)
    for (const secret of [one, two]) assert.deepEqual(await placesOf(w.store, secret), [])
  })
})
