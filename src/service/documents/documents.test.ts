import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  markdownDocument,
  packageDocument,
  queueDocument,
  recordDocument,
  summaryDocument,
  updateDocument,
} from '../../../test/support/documents/documents.ts'
import { tablesOf } from '../../../test/support/log/log.ts'
import { by, describeOnEngines, person, type Workspace } from '../../../test/support/program/workspace.ts'
import { recordIn } from '../../audit/entry.ts'
import type { ImportItem } from '../../domain/document-answers.ts'
import { WRITEBACK_REQUIRED } from '../../domain/tasks/writeback.ts'
import { loadOperation, type OperationName } from '../../operations/index.ts'
import { invoke } from '../../operations/operation.ts'
import { queueArtifactPath } from './artifact.ts'

const planner = by('planner')
const ID = 'handoff-grok-claude-BPRD-2026-0042-20260221'
const PLACE = `_handoffs/active/${ID}.md`

const called = async <T>({ service }: Workspace, name: OperationName, input: object): Promise<T> =>
  (await invoke(await loadOperation(name), service, planner, input)) as T

const taken = async (w: Workspace, text: string, path?: string): Promise<readonly ImportItem[]> =>
  (await called<{ items: ImportItem[] }>(w, 'document_import', { text, ...(path !== undefined && { path }) }))
    .items

/** The only outcome of a text with one document. */
async function one(w: Workspace, text: string, path?: string): Promise<ImportItem> {
  const [item, ...more] = await taken(w, text, path)
  assert.ok(item)
  assert.deepEqual(more, [])
  return item
}

const exported = (w: Workspace, id: string, more: object = {}) =>
  called<{ text: string; losses: { field: string }[] }>(w, 'document_export', { id, ...more })

const look = async (w: Workspace, id: string) => w.service.looking.get(id)

/** Every row but the clock's: what a call that changes nothing leaves alone. */
const everything = async (w: Workspace) => JSON.stringify([...(await tablesOf(w.store))])

describeOnEngines('importing a document', (open) => {
  it('makes the handoff that it states, with its times, package, task and agents', async (t) => {
    const w = await open(t)

    const item = await one(w, markdownDocument(), PLACE)

    assert.deepEqual(item, {
      outcome: 'imported',
      dialect: 'markdown',
      line: 1,
      id: ID,
      state: 'offered',
      task: 'BPRD-2026-0042',
    })
    const { handoff, content, timeline } = await look(w, ID)
    const { home, state, from, to, title, task, created_at, ack_deadline, waiting_for, imported_at } = handoff
    assert.deepEqual(
      { home, state, from, to, title, task, created_at, ack_deadline, waiting_for, imported_at },
      {
        home: 'markdown',
        state: 'offered',
        from: 'grok',
        to: 'claude',
        title: 'Limit the rate of requests',
        task: 'BPRD-2026-0042',
        created_at: '2026-02-21T09:00:00.000Z',
        ack_deadline: '2026-02-21T23:00:00.000Z',
        waiting_for: 'claude',
        imported_at: '2026-02-21T14:30:00.000Z',
      },
    )
    assert.equal(handoff.aliases?.markdown, ID)
    assert.deepEqual(content.package.deliverables, ['Middleware with tests', 'A page in the manual'])
    assert.deepEqual(
      timeline.map(({ act }) => act),
      ['handoff.imported', 'artifact.put'],
    )
    assert.equal((await w.store.task('BPRD-2026-0042'))?.task.owner, 'grok')
    assert.deepEqual(
      (await w.store.agents()).map(({ name }) => name),
      ['claude', 'grok'],
    )
  })

  it('commits to the bytes of the document and to who is said to have written it', async (t) => {
    const w = await open(t)
    await one(w, markdownDocument(), PLACE)

    const { timeline } = await look(w, ID)

    const said = (timeline[0]?.disclosures ?? []).map((text) => {
      const [, name, value] = JSON.parse(Buffer.from(text, 'base64url').toString())
      return [name, value]
    })
    const fields = Object.fromEntries(said)
    assert.match(fields.source_sha256, /^[0-9a-f]{64}$/)
    assert.equal(fields.claimed_author, 'grok')
    assert.equal(recordIn(timeline[0]!).actor.id, 'planner')
  })

  it('goes on from there: the receiver accepts what was imported', async (t) => {
    const w = await open(t)
    await one(w, markdownDocument(), PLACE)

    const { state } = await w.service.receiving.accept(by('claude'), ID)

    assert.equal(state, 'accepted')
  })

  it('changes nothing the second time, whether bytes or only the notation are the same', async (t) => {
    const w = await open(t)
    await one(w, markdownDocument(), PLACE)
    const before = await everything(w)

    const again = await one(w, markdownDocument(), PLACE)
    const moved = await one(w, markdownDocument(), `_handoffs/archived/2026/02/${ID}.md`)
    const spaced = await one(w, markdownDocument().replace('colour: green', 'colour:   green'), PLACE)
    const piped = await one(w, markdownDocument())

    assert.deepEqual(
      [again, moved, spaced, piped].map(({ outcome, id }) => [outcome, id]),
      [again, moved, spaced, piped].map(() => ['unchanged', ID]),
    )
    assert.equal(await everything(w), before)
  })

  it('reports newer content of a known handoff and applies nothing of it', async (t) => {
    const w = await open(t)
    await one(w, markdownDocument(), PLACE)
    const before = await everything(w)

    const item = await one(w, markdownDocument({ title: 'Another title' }), PLACE)

    assert.deepEqual([item.outcome, item.id], ['differs', ID])
    assert.match(item.reason ?? '', /is here already and says something else/)
    assert.equal(await everything(w), before)
  })

  it('reports a second file about one handoff as its twin, with both names', async (t) => {
    const w = await open(t)
    await one(w, markdownDocument(), PLACE)
    const before = await everything(w)

    const copied = await one(w, markdownDocument(), '_handoffs/active/copy.md')
    const renamed = await one(w, markdownDocument({ id: 'handoff-grok-claude-rates' }), 'notes/rates.md')

    assert.deepEqual([copied.outcome, copied.names], ['twin', [PLACE, '_handoffs/active/copy.md']])
    assert.deepEqual([renamed.outcome, renamed.id, renamed.names], ['twin', ID, [PLACE, 'notes/rates.md']])
    assert.equal(await everything(w), before)
  })

  it('takes another day, another task and what follows a rejection for handoffs of their own', async (t) => {
    const w = await open(t)
    await one(w, markdownDocument({ status: 'Rejected', more: ['rejection_reason: No access'] }), PLACE)

    const outcomes = [
      await one(w, markdownDocument({ day: '2026-02-22' })),
      await one(w, markdownDocument({ task: 'BPRD-2026-0043' })),
      await one(w, markdownDocument({ id: `${ID}-2` })),
    ]

    assert.deepEqual(
      outcomes.map(({ outcome }) => outcome),
      ['imported', 'imported', 'imported'],
    )
  })

  it('is refused by no limit', async (t) => {
    const w = await open(t, { policy: { defaultLimits: { outgoing: 1, incoming: 1 } } })

    for (let n = 1; n <= 12; n++) {
      const { outcome } = await one(w, markdownDocument({ task: `BPRD-2026-00${n + 50}` }))
      assert.equal(outcome, 'imported')
    }

    const { agents } = await w.store.counts()
    assert.equal(agents.grok?.outgoing, 12)
    await assert.rejects(w.service.sending.send(by('grok'), { to: 'claude', title: 'One more' }), {
      code: 'limit_exceeded',
    })
  })

  it('takes an end as it is told and lets no guard count as passed', async (t) => {
    const w = await open(t)
    await w.service.tasks.create(planner, { id: 'BPRD-2026-0042', title: 'Rates' })

    const { state } = await one(
      w,
      markdownDocument({ status: 'Complete', more: ['x_note: done elsewhere'] }).replace(
        'completed_at: null',
        'completed_at: 2026-02-21T12:00:00Z',
      ),
    )

    const { handoff } = await look(w, ID)
    assert.deepEqual([state, handoff.ended_at], ['completed', '2026-02-21T12:00:00.000Z'])
    assert.equal(handoff.verified_by, undefined)
    assert.ok(handoff.imported_at)
    assert.equal((await w.store.task('BPRD-2026-0042'))?.task.status, 'todo')
    const notices = await w.store.notices('grok', { limit: 10 })
    assert.deepEqual(notices.items, [])
  })

  it('[S2-07] [S2-73] takes every block of a summary once, and none that says that nobody receives it', async (t) => {
    const w = await open(t)
    const text = summaryDocument({ from: 'a' }, { from: 'b', status: 'failed' }, { from: 'c', to: 'None' })

    const items = await taken(w, text, 'reports/run.md')
    const again = await taken(w, text, 'reports/run.md')

    assert.deepEqual(
      items.map(({ outcome, state }) => [outcome, state]),
      [
        ['imported', 'completed'],
        ['imported', 'failed'],
        ['skipped', undefined],
      ],
    )
    assert.match(items[2]?.reason ?? '', /nobody receives it/)
    assert.deepEqual(
      again.map(({ outcome, id }) => [outcome, id]),
      items.map(({ outcome, id }) => [outcome === 'imported' ? 'unchanged' : outcome, id]),
    )
    const lines = text.split('\n')
    for (const { line } of items) assert.match(lines.slice(line - 2, line + 1).join('\n'), /handoff:|```yaml/)
  })

  it('keeps packages of two sessions apart, though both count from one', async (t) => {
    const w = await open(t)
    const first = packageDocument('HO-001', '2026-02-20T09:00:00Z')
    const second = packageDocument('HO-001', '2026-02-21T09:00:00Z')

    const items = [await one(w, first), await one(w, second), await one(w, first), await one(w, second)]

    assert.deepEqual(
      items.map(({ outcome, id }) => [outcome, id]),
      [
        ['imported', 'HO-001'],
        ['imported', 'HO-001-20260221T090000'],
        ['unchanged', 'HO-001'],
        ['unchanged', 'HO-001-20260221T090000'],
      ],
    )
    await assert.rejects(
      w.service.looking.get('HO-001'),
      /HO-001 is in 2 sessions; name the one you mean: [0-9a-f-]{36}, HO-001-20260221T090000$/,
    )
  })

  it('lets a person decide what a document puts before them', async (t) => {
    const w = await open(t)
    const text = packageDocument('HO-003', '2026-02-21T09:00:00Z').replace('architecture-agent', 'human')

    const { state } = await one(w, text)
    const decided = await w.service.closing.decide(person('maria'), 'HO-003', 'approve', 'ship it')

    assert.deepEqual([state, decided.state], ['needs_input', 'completed'])
    assert.notEqual((await exported(w, 'HO-003')).text, text)
  })

  it('[S4-03] keeps the id HO-YYYY-NNN, and the next handoff of this workspace takes another', async (t) => {
    const w = await open(t)
    const foreign = packageDocument('HO-2026-001', '2026-02-20T09:00:00Z')

    const item = await one(w, foreign)
    await one(w, packageDocument('HO-2026-002-R', '2026-02-20T09:00:00Z'))
    const { handoff } = await w.service.sending.send(planner, { to: 'codex', title: 'Work' })
    const again = await one(w, foreign)

    assert.deepEqual([item.outcome, item.id], ['imported', 'HO-2026-001'])
    assert.equal(handoff.id, 'HO-2026-003')
    assert.deepEqual([again.outcome, again.id], ['unchanged', item.id])
  })

  it('[S4-03] refuses an id that this workspace has given away, and renames nothing', async (t) => {
    const w = await open(t)
    const { handoff } = await w.service.sending.send(planner, { to: 'codex', title: 'Work' })
    const before = await everything(w)

    const items = [
      await one(w, packageDocument(handoff.id, '2026-02-20T09:00:00Z')),
      await one(w, packageDocument(`${handoff.id}-R`, '2026-02-20T09:00:00Z')),
    ]

    const reason = 'HO-2026-001 is another handoff, made in this workspace; give the document another id'
    assert.deepEqual(
      items.map(({ outcome, reason }) => [outcome, reason]),
      [
        ['refused', reason],
        ['refused', reason],
      ],
    )
    assert.deepEqual(await everything(w), before)
  })

  it('knows a document again that first came without a name', async (t) => {
    const w = await open(t)

    const outcomes = [
      await one(w, markdownDocument()),
      await one(w, markdownDocument(), PLACE),
      await one(w, markdownDocument().replace('from_agent: grok', 'from_agent: "@Grok"')),
    ]

    assert.deepEqual(
      outcomes.map(({ outcome, id }) => [outcome, id]),
      [
        ['imported', ID],
        ['unchanged', ID],
        ['unchanged', ID],
      ],
    )
  })

  it('refuses a document with errors whole, and says where the first one is', async (t) => {
    const w = await open(t)
    const before = await everything(w)

    const item = await one(w, markdownDocument({ status: 'Sleeping' }))

    assert.equal(item.outcome, 'refused')
    assert.match(item.reason ?? '', /^line 6: .*Sleeping/)
    assert.ok(item.diagnostics?.every(({ severity }) => severity === 'error'))
    assert.equal(await everything(w), before)
  })

  it('refuses agents that baton.yaml does not list, and leaves nothing of the document', async (t) => {
    const w = await open(t, { policy: { agents: { planner: {}, grok: {} } } })

    const item = await one(w, markdownDocument())

    assert.deepEqual(
      [item.outcome, item.reason],
      ['refused', 'unknown agent claude; baton.yaml lists grok, planner'],
    )
    assert.equal((await tablesOf(w.store)).get('handoff'), undefined)
  })

  it('takes the same document from twenty callers at once in only once', async (t) => {
    const w = await open(t)
    const beside = await w.beside()
    const operation = await loadOperation('document_import')

    const answers = (await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        invoke(operation, i % 2 === 0 ? w.service : beside, planner, { text: queueDocument('hoff-001') }),
      ),
    )) as { items: ImportItem[] }[]

    const outcomes = answers.map(({ items }) => items[0]?.outcome).sort()
    assert.deepEqual(outcomes, ['imported', ...Array.from({ length: 19 }, () => 'unchanged')])
    assert.deepEqual((await w.store.counts()).handoffs, { offered: 1 })
  })

  it('takes the uid that a slot carries, but none that something else here has', async (t) => {
    const w = await open(t)
    const { task } = await w.service.tasks.create(planner, { id: 'T1', title: 'First' })
    const { handoff } = await w.service.sending.send(planner, {
      to: 'codex',
      title: 'Work',
      task: 'BPRD-2026-0001',
    })
    const written = await exported(w, handoff.id, {
      to: 'package',
      slot: true,
      supply: { 'package.summary': 'The limits are agreed and the plan is written down.' },
    })
    const other = await open(t)

    const same = await one(w, written.text)
    const fresh = await one(other, written.text)
    const stolen = await one(
      w,
      written.text.replaceAll(handoff.uid, task.uid).replaceAll(handoff.id, 'HO-2026-777'),
    )

    assert.deepEqual([same.id, ['unchanged', 'differs'].includes(same.outcome)], [handoff.id, true])
    assert.equal((await other.store.handoff(fresh.id ?? ''))?.uid, handoff.uid)
    assert.notEqual((await w.store.handoff(stolen.id ?? ''))?.uid, task.uid)
  })
})

describeOnEngines('importing the records of document 003', (open) => {
  it('adds the task and its record, once', async (t) => {
    const w = await open(t)

    const item = await one(w, recordDocument('P0.1.1'), 'record.json')
    const again = await one(w, recordDocument('P0.1.1'), 'record.json')

    assert.deepEqual([item.outcome, item.task], ['imported', 'P0.1.1'])
    assert.deepEqual([again.outcome, again.task], ['unchanged', 'P0.1.1'])
    const [record, ...more] = await w.store.records('P0.1.1', 10)
    assert.deepEqual([record?.uid, record?.branch, more], [item.record, 'feature/p0-1-1-package-setup', []])
  })

  it('refuses done before a record with the sentence of the document, and leaves no task behind', async (t) => {
    const w = await open(t)

    const early = await one(w, updateDocument('P0.1.1', 'done', 100))
    const begun = await one(w, updateDocument('P0.1.1', 'in_progress', 40))
    await one(w, recordDocument('P0.1.1'))
    const late = await one(w, updateDocument('P0.1.1', 'done', 100))

    assert.deepEqual([early.outcome, early.reason], ['refused', WRITEBACK_REQUIRED])
    assert.deepEqual([begun.outcome, late.outcome], ['imported', 'imported'])
    const { task } = (await w.store.task('P0.1.1'))!
    assert.deepEqual([task.status, task.progress, task.owner], ['done', 100, 'planner'])
  })

  it('takes the same record from ten callers at once in only once', async (t) => {
    const w = await open(t)
    await w.service.tasks.create(planner, { id: 'P0.1.2', title: 'Known before' })

    for (const id of ['P0.1.1', 'P0.1.2']) {
      const text = recordDocument(id, { status: 'done' })
      const items = await Promise.all(Array.from({ length: 10 }, () => one(w, text)))
      assert.deepEqual(items.map(({ outcome, reason }) => reason ?? outcome).sort(), [
        'imported',
        ...Array.from({ length: 9 }, () => 'unchanged'),
      ])
      assert.equal((await w.store.records(id, 10)).length, 1)
    }
  })

  it('[S4-61] [S3-72] leaves a task open whose work waits at a gate, as the command does', async (t) => {
    const w = await open(t)
    const { handoff } = await w.service.sending.send(by('grok'), { to: 'planner', title: 'Work', task: 'T1' })
    await w.service.receiving.accept(planner, handoff.id)
    const gate = { to: 'human', title: 'Ship?', type: 'gate', gate: { name: 'ship' } } as const
    await w.service.sending.send(planner, { ...gate, parent: handoff.id })

    const item = await one(w, recordDocument('T1', { status: 'done' }))

    assert.equal(item.outcome, 'refused')
    assert.match(item.reason ?? '', /the gate "?ship"? .* waits for human/)
    assert.deepEqual(await w.store.records('T1', 10), [])
  })
})

describeOnEngines('exporting', (open) => {
  it('gives back every byte of an imported document while nothing has changed', async (t) => {
    const w = await open(t)
    const documents = [
      markdownDocument(),
      queueDocument('hoff-001'),
      packageDocument('HO-2026-031', '2026-02-21T09:00:00Z'),
    ]

    for (const text of documents) {
      const { id = '' } = await one(w, text)
      assert.deepEqual(await exported(w, id), { ...(await exported(w, id)), text, losses: [] })
    }
  })

  it('[S0-69] changes only what changed here since', async (t) => {
    const w = await open(t)
    await one(w, markdownDocument(), PLACE)
    await w.service.receiving.accept(by('claude'), ID)

    const { text } = await exported(w, ID)

    assert.match(text, /^status: Acknowledged {2}# set by hand$/m)
    assert.match(text, /^acknowledged_by: claude$/m)
    assert.match(text, /^colour: green$/m)
    assert.match(text, /Whatever else there is to say\.\n$/)
  })

  it('says what another dialect loses, and refuses what it would have to make up', async (t) => {
    const w = await open(t)
    await one(w, markdownDocument(), PLACE)

    const { losses } = await exported(w, ID, { to: 'package' })
    const refused = await exported(w, ID, { to: 'writeback' }).catch((error: unknown) => error)

    assert.ok(losses.some(({ field }) => field === 'ack_deadline'))
    const { code, details } = refused as { code: string; details: { missing: { field: string }[] } }
    assert.equal(code, 'unmet')
    assert.ok(details.missing.some(({ field }) => field === 'record.commit_sha'))
  })

  it('rests on the document that was imported and on no file that somebody added', async (t) => {
    const w = await open(t)
    await one(w, markdownDocument(), PLACE)
    const bytes = Buffer.from(markdownDocument({ title: 'Forged' }))
    await w.service.artifacts.put(planner, { path: PLACE, type: 'source', handoff: ID, bytes })

    const { text } = await exported(w, ID)

    assert.equal(text, markdownDocument())
  })

  it('writes a task with its newest record', async (t) => {
    const w = await open(t)
    await one(w, recordDocument('P0.1.1'))

    const { text } = await exported(w, 'P0.1.1')

    const { task_id, branch, tests_run } = JSON.parse(text)
    assert.deepEqual(
      [task_id, branch, tests_run],
      ['P0.1.1', 'feature/p0-1-1-package-setup', ['smoke.test.ts', 'eslint']],
    )
  })

  it('knows neither a handoff nor a task of another name', async (t) => {
    const w = await open(t)

    await assert.rejects(exported(w, 'HO-2026-404', { to: 'package' }), { code: 'not_found' })
  })
})

describeOnEngines('hostile documents', (open) => {
  it('prove no finished work by a slot that says so', async (t) => {
    const w = await open(t)
    const slot = { version: 1, draft: { state: 'completed' }, read_as: { state: 'in_progress' } }
    const update = { task_id: 'P0.1.1', status: 'in_progress', metadata: { x_baton: slot } }

    const item = await one(w, JSON.stringify(update))

    assert.equal(item.outcome, 'refused')
    assert.match(item.reason ?? '', /^the work is described only in x_baton, which proves nothing/)
    assert.equal((await w.store.counts()).entries, 0)
  })

  it('are refused or taken in like others, and reach no prototype', async (t) => {
    const w = await open(t)
    const bomb = `handoff:\n  a: &a [x, x]\n${Array.from({ length: 30 }, (_, i) => `  b${i}: &b${i} [*${i === 0 ? 'a' : `b${i - 1}`}, *${i === 0 ? 'a' : `b${i - 1}`}]`).join('\n')}\n`
    const poisoned = queueDocument('hoff-002').replace(
      '"context": {',
      '"context": {"__proto__": {"polluted": true}, ',
    )

    const [bombed] = await taken(w, bomb)
    const item = await one(w, poisoned)

    assert.notEqual(bombed?.outcome, 'imported')
    assert.equal(item.outcome, 'imported')
    assert.equal(({} as { polluted?: boolean }).polluted, undefined)
    assert.equal((await exported(w, 'hoff-002')).text, poisoned)
  })

  it('of ten megabytes are answered', async (t) => {
    const w = await open(t)
    const text = JSON.stringify({ handoff: 'x'.repeat(3_900_000) })

    const [item] = await taken(w, text)

    assert.notEqual(item?.outcome, 'imported')
    await assert.rejects(taken(w, 'x'.repeat(10_000_000)), { code: 'invalid_input' })
  })
})

describeOnEngines('the artifact of a specialist', (open) => {
  it('[S1-02] lies in a folder of its own name where nobody gave it a phase', async (t) => {
    const w = await open(t)
    const deps = { ...w.service.deps, live: new Set(['queue'] as const) }
    const folder = async (to: string) => {
      const { handoff } = await w.service.sending.send(planner, { to, title: 'Build it', home: 'queue' })
      return (await queueArtifactPath(deps, handoff, 'report'))?.split('/')[1]
    }

    assert.deepEqual(
      [await folder('react-specialist'), await folder('dotnet-specialist'), await folder('chart-maker')],
      ['phase-13-react', 'phase-14-dotnet', 'phase-13-chart-maker'],
    )
  })
})
