import assert from 'node:assert/strict'
import { it } from 'node:test'
import { samplesOf } from '../../test/support/documents/samples.ts'
import { run } from '../../test/support/program/invoke.ts'
import { by, describeOnEngines, person, type Workspace } from '../../test/support/program/workspace.ts'
import type { Draft } from '../dialects/draft.ts'
import { pack } from '../dialects/package/index.ts'
import { sourcesOf } from '../dialects/text/sources.ts'
import type { Handoff } from '../domain/handoffs/handoff.ts'
import type { Call } from '../service/deps.ts'

const maria = person('maria')
const TASK = 'Design an API for the validated stories'

type Answer = { readonly handoff: Handoff }

interface Sample {
  readonly text: string
  readonly draft: Draft
}

/** The samples of document 004 in their order: the template, the four types, the gate. */
function samples(): readonly Sample[] {
  return sourcesOf(samplesOf('package'))
    .filter((source) => pack.formOf(source) === 'package')
    .map((source) => ({
      text: source.text.slice(source.start, source.end),
      draft: pack.interpret(source, 'package').draft!,
    }))
}

const call = (w: Workspace, caller: Call) => ({
  send: async ({ from: _, to, package: travels }: Draft, more = {}) =>
    run<{ handoff: Handoff; warnings: unknown[] }>(w.service, caller, 'handoff_send', {
      to,
      title: 'Work',
      home: 'package',
      ...travels,
      ...more,
    }),
  accept: (id: string, more = {}) =>
    run<Answer & { acknowledgment: object }>(w.service, caller, 'handoff_accept', { id, ...more }),
  submit: (id: string, more = {}) => run<Answer>(w.service, caller, 'handoff_submit', { id, ...more }),
  complete: (id: string) => run<Answer>(w.service, caller, 'handoff_complete', { id }),
  decide: (id: string, choice: string) =>
    run<Answer>(w.service, caller, 'gate_decide', { id, choice, comment: 'B' }),
})

/** The document's acknowledgment with its blanks filled in. */
const ACKNOWLEDGED = {
  received: true,
  understood: { task: TASK, constraints: 'None' },
  questions: [],
  starting: true,
}
/** The document's other one, as it stands there. */
const UNCLEAR = {
  received: true,
  understood: 'partial',
  blockers: ['Artifact .project/specs/feature.md not found', "Constraint 'quickly' not measurable"],
  action: 'request_clarification',
}

describeOnEngines('the samples of document 004', (open) => {
  it('[S4-18] [S4-46] [S4-48] are sent, questioned, answered, acknowledged and done', async (t) => {
    const w = await open(t)
    const [, sequential] = samples()
    const [sender, receiver] = [by('specification'), by('architecture')]

    const { handoff, warnings } = await call(w, sender).send(sequential!.draft)
    const unclear = await call(w, receiver).accept(handoff.id, UNCLEAR)
    await run(w.service, sender, 'handoff_answer', { id: handoff.id, text: 'Leave both out' })
    const { handoff: begun } = await call(w, receiver).accept(handoff.id, {
      ...ACKNOWLEDGED,
      from: 'specification',
    })
    const { handoff: done } = await call(w, receiver).submit(handoff.id, {
      note: 'Design in .project/03-architecture',
    })

    assert.deepEqual([handoff.type, warnings], ['sequential', []])
    const { at, by: who, from, ...said } = unclear.acknowledgment as Record<string, unknown>
    assert.deepEqual(said, UNCLEAR)
    assert.deepEqual(
      [unclear.handoff.state, begun.state, done.state, done.uid],
      ['needs_input', 'in_progress', 'completed', handoff.uid],
    )
  })

  it('[S4-19] [S4-21] [S4-23] delegate and return, and the asker reads what was decided', async (t) => {
    const w = await open(t)
    const [, , delegation, , back] = samples()
    const [asker, delegate] = [by('architecture'), by('security-check')]

    const { handoff } = await call(w, asker).send(delegation!.draft)
    await call(w, delegate).accept(handoff.id, ACKNOWLEDGED)
    const { handoff: answer } = await call(w, delegate).send(back!.draft)
    await call(w, asker).accept(answer.id)
    const { handoff: done } = await call(w, asker).complete(answer.id)

    assert.deepEqual([handoff.type, answer.type, answer.in_reply_to], ['delegation', 'return', handoff.uid])
    assert.deepEqual([done.state, (await w.store.handoff(handoff.uid))?.state], ['completed', 'completed'])
    const { package: travels } = await run<{ package: object }>(w.service, asker, 'handoff_get', {
      id: answer.id,
    })
    assert.deepEqual(travels, back!.draft.package)
  })

  it('[S4-20] [S4-26] escalate to a person, who decides', async (t) => {
    const w = await open(t)
    const [, , , escalation] = samples()

    const { handoff, warnings } = await call(w, by('estimation')).send(escalation!.draft)
    const { handoff: decided } = await call(w, maria).decide(handoff.id, 'approve')

    assert.deepEqual([handoff.type, handoff.need, warnings], ['escalation', 'decision', []])
    assert.equal(decided.state, 'completed')
  })

  it('[S4-68] stop at a gate that only a person opens, once its blanks are filled in', async (t) => {
    const w = await open(t)
    const gate = samples()[5]!.draft
    const agent = by('specification')
    const filled = {
      summary: 'Specification written: 3 epics, 12 user stories',
      artifacts: [{ path: '.project/02-requirements/' }],
      validation_request: { ...gate.package?.validation_request, items: ['Scope', 'Personas'] },
    }

    await assert.rejects(call(w, agent).send(gate), { code: 'invalid_input', message: /is a placeholder/ })
    const { handoff } = await call(w, agent).send(gate, filled)
    await assert.rejects(call(w, agent).decide(handoff.id, 'approve'), { code: 'not_allowed' })
    const { handoff: opened } = await call(w, maria).decide(handoff.id, 'approve')

    assert.deepEqual([handoff.type, handoff.state, opened.state], ['gate', 'needs_input', 'completed'])
  })

  it('refuse to send the template as it is', async (t) => {
    const w = await open(t)
    const template = samples()[0]!.draft

    await assert.rejects(
      call(w, by('specification')).send({ ...template, to: 'architecture' }),
      (error: Error) => {
        assert.match(error.message, /summary: \[2-3 sentence summary of what was done\]\s* is a placeholder/)
        return true
      },
    )
  })

  it('are taken in as files and go the same ways to their ends', async (t) => {
    const w = await open(t)
    const ends: unknown[] = []
    for (const { text, draft } of samples().slice(1, 5)) {
      const { items } = await run<{ items: { id: string; outcome: string }[] }>(
        w.service,
        by(draft.from!),
        'document_import',
        { text, path: `${draft.from}.yaml` },
      )
      const [{ id, outcome }] = items as [{ id: string; outcome: string }]
      const receiver = call(w, by(draft.to!))
      if (draft.type === 'escalation')
        ends.push([outcome, draft.type, (await call(w, maria).decide(id, 'approve')).handoff.state])
      else {
        await receiver.accept(id, ACKNOWLEDGED)
        const { handoff } = draft.type === 'return' ? await receiver.complete(id) : await receiver.submit(id)
        ends.push([outcome, draft.type, handoff.state])
      }
    }

    assert.deepEqual(ends, [
      ['imported', 'sequential', 'completed'],
      ['imported', 'delegation', 'completed'],
      ['imported', 'escalation', 'completed'],
      ['imported', 'return', 'completed'],
    ])
  })
})
