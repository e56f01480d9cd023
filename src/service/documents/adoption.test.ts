import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  markdownDocument,
  packageDocument,
  queueDocument,
  recordDocument,
} from '../../../test/support/documents/documents.ts'
import { disclosed } from '../../../test/support/log/log.ts'
import {
  by,
  describeOnEngines,
  person,
  START,
  type Workspace,
} from '../../../test/support/program/workspace.ts'
import { recordIn } from '../../audit/entry.ts'
import type { ImportItem } from '../../domain/document-answers.ts'
import { HOUR_MS } from '../../domain/handoffs/deadlines.ts'
import { loadOperation } from '../../operations/index.ts'
import { invoke } from '../../operations/operation.ts'
import { importText } from './import.ts'

const OLD = '2024-01-15'
const after = (ms: number): string => new Date(Date.parse(START) + ms).toISOString()

/** The handoff that `baton import` makes of a text with one document. */
async function adopted({ service, store }: Workspace, text: string, caller = 'planner') {
  const operation = await loadOperation('document_import')
  const { items } = (await invoke(operation, service, by(caller), { text })) as { items: ImportItem[] }
  assert.deepEqual([items.length, items[0]?.outcome, items[0]?.reason], [1, 'imported', undefined])
  const handoff = await store.handoff(items[0]?.id ?? '')
  assert.ok(handoff)
  return handoff
}

const gate = (id: string, at: string, more = ''): string =>
  packageDocument(id, at, `  gate: {type: blocking, name: design}\n${more}`)
    .replace('"spec-agent"', '"codex"')
    .replace('"architecture-agent"', '"human"')

describeOnEngines('a handoff from elsewhere', (open) => {
  it('[S0-34] has the whole time to be accepted, however old its document is', async (t) => {
    const w = await open(t)

    const { id, created_at, ack_deadline } = await adopted(w, markdownDocument({ day: OLD }))
    await w.service.settle()
    const kept = await w.store.handoff(id)
    w.clock.pass(4 * HOUR_MS)
    await w.service.settle()
    const late = await w.store.handoff(id)

    assert.equal(created_at, `${OLD}T09:00:00.000Z`)
    assert.equal(ack_deadline, after(4 * HOUR_MS))
    assert.deepEqual([kept?.state, late?.state], ['offered', 'expired'])
  })

  it('keeps a deadline that is later than one that begins now', async (t) => {
    const w = await open(t)

    const { ack_deadline } = await adopted(w, markdownDocument())

    assert.equal(ack_deadline, '2026-02-21T23:00:00.000Z')
  })

  it('[S1-110] in progress has the whole lease, however long ago it was begun', async (t) => {
    const w = await open(t)
    const begun = { status: 'in-progress', timestamp: `${OLD}T10:00:00Z`, started_at: `${OLD}T10:00:01Z` }

    const { state, lease_until } = await adopted(w, queueDocument('hoff-001', begun))

    assert.deepEqual([state, lease_until], ['in_progress', after(300_000)])
  })

  it('[S0-51] [S0-52] is not refused by a limit and counts for the next one that is sent', async (t) => {
    const w = await open(t, {
      policy: {
        agents: { 'react-specialist': { limits: { incoming: 2 } }, 'frontend-orchestrator': {}, planner: {} },
      },
    })
    for (const id of ['hoff-001', 'hoff-002', 'hoff-003']) await adopted(w, queueDocument(id))

    const sent = w.service.sending.send(by('planner'), { to: 'react-specialist', title: 'One more' })

    await assert.rejects(sent, { code: 'limit_exceeded' })
  })

  it('[S4-61] that says a person approved it opens no gate here', async (t) => {
    const w = await open(t)
    const { handoff } = await w.service.sending.send(by('planner'), {
      to: 'codex',
      title: 'Design',
      task: 'T1',
    })
    await w.service.receiving.accept(by('codex'), handoff.id)
    const asked = {
      to: 'human',
      title: 'Design?',
      type: 'gate',
      gate: { name: 'design' },
      task: 'T1',
    } as const
    await w.service.sending.send(by('codex'), { ...asked, parent: handoff.id })
    const approved = 'gate_response:\n  decision: approve\n  by: maria\n  comment: fine\n'

    const asking = await adopted(w, gate('HO-076', '2026-02-21T15:00:00Z') + approved, 'codex')
    const ended = gate('HO-077', '2026-02-21T15:01:00Z', '  status: completed\n')
    const decided = await adopted(w, ended + approved, 'codex')
    const submitted = w.service.receiving.submit(by('codex'), handoff.id, { note: 'Done as approved' })

    assert.deepEqual([asking.state, decided.state], ['needs_input', 'completed'])
    await assert.rejects(submitted, /the gate "?design"? \(HO-2026-\d+\) waits for human/)
    assert.deepEqual((await w.store.content(asking.uid))?.thread, [], 'a person has yet to decide here')
  })

  it('[S4-61] [S3-72] that is an open gate holds its task up until a person decides here', async (t) => {
    const w = await open(t)
    await w.service.tasks.create(by('codex'), { id: 'T1', title: 'Design' })
    await w.service.tasks.update(by('codex'), 'T1', { status: 'in_progress' })
    await adopted(w, gate('HO-078', '2026-02-21T15:00:00Z', '  workflow_state: {name: T1}\n'))
    const { task_id, ...record } = JSON.parse(recordDocument('T1')) as { task_id: string }
    await w.service.tasks.record(by('codex'), task_id, record)
    const done = () => w.service.tasks.update(by('codex'), 'T1', { status: 'done' })

    await assert.rejects(done(), /the gate "?design"? \(HO-078\) waits for human/)
    await w.service.closing.decide(person('maria'), 'HO-078', 'approve', 'fine')

    assert.equal((await done()).task.status, 'done')
  })

  it('[S0-80] that names a verifier is not verified here', async (t) => {
    const w = await open(t)
    const verified = [
      'verification_record:',
      '  verified_by: perplexity',
      `  verified_at: ${OLD}T16:00:00Z`,
      '  deliverable_checks:',
      ...['Middleware with tests', 'A page in the manual'].map(
        (each) => `    - {deliverable: ${each}, status: verified, evidence: seen}`,
      ),
    ]
    const text = markdownDocument({ day: OLD, status: 'Complete', more: verified })
      .replace('acknowledged_at: null', `acknowledged_at: ${OLD}T10:00:00Z`)
      .replace('acknowledged_by: null', 'acknowledged_by: claude')
      .replace('completed_at: null', `completed_at: ${OLD}T16:00:00Z`)
      .replace('completion_verified_by: null', 'completion_verified_by: perplexity')

    const { id, uid, state, verified_by, task } = await adopted(w, text)

    assert.deepEqual([state, verified_by], ['completed', undefined])
    assert.deepEqual((await w.store.content(uid))?.verifications, [])
    assert.notEqual((await w.store.task(task ?? ''))?.task.status, 'done', '[S3-72] no record, not done')
    const exporting = await loadOperation('document_export')
    assert.equal(((await invoke(exporting, w.service, by('planner'), { id })) as { text: string }).text, text)
  })

  it('[S0-80] [S4-66] decides and verifies nothing that is here, whatever its document says', async (t) => {
    const w = await open(t)
    const work = { to: 'codex', title: 'Limits', home: 'markdown', alias: 'handoff-limits' } as const
    await w.service.sending.send(by('grok'), {
      ...work,
      task: 'BPRD-2026-0042',
      deliverables: ['Middleware'],
    })
    await w.service.receiving.accept(by('codex'), 'handoff-limits')
    await w.service.receiving.submit(by('codex'), 'handoff-limits', {})
    await adopted(w, gate('HO-079', '2026-02-21T15:00:00Z'))
    const decision = 'gate_response:\n  decision: approve\n  by: maria\n  comment: fine\n'
    const ended = ['completed_at', 'completion_verified_by'].map((key) => [`${key}: null`, key] as const)
    const complete = ended.reduce(
      (text, [from, key]) => text.replace(from, `${key}: ${key === 'completed_at' ? START : 'perplexity'}`),
      markdownDocument({ to: 'codex', id: 'handoff-limits', status: 'Complete' }),
    )

    const outcomes = []
    for (const text of [
      gate('HO-079', '2026-02-21T15:00:00Z', '  status: completed\n') + decision,
      complete,
    ]) {
      const operation = await loadOperation('document_import')
      const { items } = (await invoke(operation, w.service, person('maria'), { text })) as {
        items: ImportItem[]
      }
      outcomes.push(items[0]?.outcome)
    }

    assert.ok(
      outcomes.every((outcome) => outcome !== 'imported'),
      outcomes.join(),
    )
    assert.equal((await w.store.handoff('HO-079'))?.state, 'needs_input')
    assert.equal((await w.store.handoff('handoff-limits'))?.state, 'in_review')
  })

  it('[S4-66] that a person is said to send by a file does not make its receiver a person', async (t) => {
    const w = await open(t)
    const sent = gate('HO-080', '2026-02-21T15:00:00Z')
    const text = sent.replace('"human"', '"stranger"').replace('"codex"', '"human"')
    const file = { actor: { name: 'human', kind: 'human', auth: 'file' } } as const

    const [item] = await importText(w.service.deps, file, { text, asNew: true })

    assert.match(item?.reason ?? '', /^only a person can decide a gate, not stranger;/)
    assert.equal(await w.store.agent('stranger'), undefined)
  })

  it('is logged as imported by the caller, with the author that it claims beside', async (t) => {
    const w = await open(t)
    const { uid } = await adopted(w, markdownDocument({ day: OLD }), 'codex')

    const [entry] = await w.store.entries(uid, 0, 1)

    const { act, actor, auth } = recordIn(entry!)
    assert.deepEqual([act, actor.id, auth], ['handoff.imported', 'codex', 'os-user'])
    assert.equal(disclosed(entry!).claimed_author, 'grok')
  })
})
