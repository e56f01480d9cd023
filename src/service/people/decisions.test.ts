import assert from 'node:assert/strict'
import { it } from 'node:test'
import { run } from '../../../test/support/program/invoke.ts'
import {
  by,
  describeOnEngines,
  person,
  START,
  type Workspace,
} from '../../../test/support/program/workspace.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'

const estimation = by('estimation')
const maria = person('maria')

/** Document 004's escalation. */
const escalate = async ({ service }: Workspace, more = {}) =>
  (
    await service.sending.send(estimation, {
      to: 'human',
      title: 'Business decision required',
      type: 'escalation',
      summary: 'Two possible approaches with significant trade-offs',
      decisions: [
        {
          id: 'pending',
          decision: 'Choice between approach A (fast, debt) or B (robust, long)',
          rationale: 'Depends on business priority',
        },
      ],
      deliverables: ['Validated choice with justification'],
      validation_request: { items: [], options: { A: 'fast, debt', B: 'robust, long' } },
      ...more,
    })
  ).handoff

interface Shown {
  readonly result?: { readonly decisions?: unknown }
  readonly gate_response?: unknown
}

describeOnEngines('an escalation with options', (open) => {
  it('[S4-27] keeps the choice as a decision with an id and the reason, and tells who asked', async (t) => {
    const w = await open(t)
    const { uid, id } = await escalate(w)

    const { handoff: decided } = await run<{ handoff: Handoff }>(w.service, maria, 'gate_decide', {
      id,
      choice: 'b',
      comment: 'We can wait',
    })

    const shown = await run<Shown>(w.service, estimation, 'handoff_get', { id })
    assert.deepEqual([decided.state, decided.choice, decided.verified_by], ['completed', 'B', 'maria'])
    assert.deepEqual(shown.result?.decisions, [
      { id: `D-${id}`, decision: 'robust, long', rationale: 'We can wait' },
    ])
    assert.deepEqual(shown.gate_response, {
      decision: 'B',
      by: 'maria',
      at: START,
      comment: 'We can wait',
    })
    const { notices } = await w.service.looking.inbox('estimation', { limit: 5 })
    assert.deepEqual(
      notices.map(({ text }) => text),
      [`maria answered ${id}: B`],
    )
    assert.equal((await w.store.timeline(uid, uid, 50)).at(-1)?.act, 'gate.choose')
  })

  it('[S4-26] begins with a decision that is pending', async (t) => {
    const w = await open(t)
    const { uid } = await escalate(w)

    const { content, handoff } = await w.service.looking.get(uid)

    assert.deepEqual([handoff.need, content.package.decisions?.[0]?.id], ['decision', 'pending'])
  })

  it('takes one of its options, a rejection or a question, and nothing else', async (t) => {
    const w = await open(t)
    const { uid, id } = await escalate(w)

    for (const choice of ['C', 'approve', '', ' ', 'A, B', 'constructor', '__proto__'])
      await assert.rejects(run(w.service, maria, 'gate_decide', { id: uid, choice }), {
        code: 'invalid_input',
      })
    await assert.rejects(w.service.closing.decide(maria, uid, 'approve'), {
      message: `"approve" is not an answer to ${id}; answer with A, B, reject or question`,
    })
    await w.service.closing.decide(maria, uid, 'question', 'What does B cost?')
    await w.service.receiving.answer(estimation, uid, 'Two weeks')

    assert.equal((await w.service.closing.decide(maria, uid, 'a')).choice, 'A')
  })

  it('loses the reason for good when the comment is redacted, wherever it was kept', async (t) => {
    const w = await open(t)
    const { id } = await escalate(w)
    await w.service.closing.decide(maria, id, 'A', 'the code word is pelican-41')

    await run(w.service, maria, 'audit_redact', { id, field: 'comment', reason: 'leaked-key' })

    for await (const { row } of w.store.dump()) assert.equal(JSON.stringify(row).includes('pelican'), false)
    const { handoff } = await w.service.looking.get(id)
    assert.deepEqual([handoff.state, handoff.choice], ['completed', 'A'])
  })

  it('[S4-20] without options is approved, rejected or questioned', async (t) => {
    const w = await open(t)
    const { uid, id } = await escalate(w, { validation_request: undefined })

    const decided = await w.service.closing.decide(maria, uid, 'APPROVE', 'Take B')

    const { content } = await w.service.looking.get(uid)
    assert.equal(decided.state, 'completed')
    assert.deepEqual(content.result?.decisions, [{ id: `D-${id}`, decision: 'approve', rationale: 'Take B' }])
  })
})

describeOnEngines('the answer to a gate', (open) => {
  const ask = async ({ service }: Workspace, more = {}) =>
    (
      await service.sending.send(estimation, {
        to: 'human',
        title: 'Gate of the specification',
        type: 'gate',
        gate: { type: 'blocking', name: 'specification', step: 2 },
        summary: 'Specified the limits and who is exempt',
        artifacts: [{ path: 'docs/limits.md' }],
        validation_request: {
          items: ['The scope is right', 'The limits are right', 'Nobody is missing'],
          options: { approve: 'Go on', extra: 'never an answer' },
        },
        ...more,
      })
    ).handoff

  it('[S4-65] is one of three words, in upper or lower case', async (t) => {
    const w = await open(t)
    const { uid, id } = await ask(w)

    for (const choice of ['yes', 'ok', 'extra', 'Go on', 'approved'])
      await assert.rejects(w.service.closing.decide(maria, uid, choice), {
        code: 'invalid_input',
        message: `"${choice}" is not an answer to ${id}; answer with approve, reject or question`,
      })

    assert.equal((await w.service.closing.decide(maria, uid, ' Approve ')).choice, 'approve')
  })

  it('[S4-58] keeps type, name and step of the gate, and the answer as gate_response', async (t) => {
    const w = await open(t)
    const { id, gate } = await ask(w)
    const answers: unknown[] = []
    const look = async () =>
      answers.push((await run<Shown>(w.service, maria, 'handoff_get', { id })).gate_response)

    await look()
    await w.service.closing.decide(maria, id, 'question', 'Which users?')
    await look()
    await w.service.receiving.answer(estimation, id, 'Admins')
    await w.service.closing.decide(maria, id, 'reject', 'too broad')
    await look()

    assert.deepEqual(gate, { type: 'blocking', name: 'specification', step: 2 })
    assert.deepEqual(answers, [
      undefined,
      { decision: 'question', by: 'maria', at: START, comment: 'Which users?' },
      { decision: 'reject', by: 'maria', at: START, comment: 'too broad' },
    ])
  })

  it('[S4-67] is asked for in the inbox of every person, with what it is about', async (t) => {
    const w = await open(t)
    const gate = await ask(w)
    await w.service.agents.add(maria, { name: 'maria', kind: 'human' })
    const named = await ask(w, { to: 'maria', priority: 'high', validation_request: undefined })
    const work = await w.service.sending.send(estimation, { to: 'human', title: 'Work for anybody' })

    const [hers, his, agents] = await Promise.all(
      [maria, person('paul'), by('codex')].map((call) =>
        run<{ items: { id: string }[]; gates?: { id: string }[] }>(w.service, call, 'handoff_inbox'),
      ),
    )

    assert.deepEqual(
      [hers, his, agents].map((inbox) => inbox?.items.map(({ id }) => id)),
      [[named.id, gate.id, work.handoff.id], [gate.id, work.handoff.id], []],
    )
    assert.deepEqual(his?.gates, [
      {
        uid: gate.uid,
        id: gate.id,
        type: 'gate',
        name: 'specification',
        summary: 'Specified the limits and who is exempt',
        artifacts: ['docs/limits.md'],
        items: ['The scope is right', 'The limits are right', 'Nobody is missing'],
        options: { approve: 'Go on', reject: 'Adjustments required', question: 'Clarification needed' },
        // The artifact has a description, which is read with the handoff.
        cut: true,
      },
    ])
    assert.equal(agents?.gates, undefined)
  })

  it('[S4-67] is found page by page, each gate once, those for anybody between those by name', async (t) => {
    const w = await open(t)
    await w.service.agents.add(maria, { name: 'maria', kind: 'human' })
    const ids: string[] = []
    for (let i = 0; i < 7; i++) ids.push((await ask(w, { to: i % 3 === 0 ? 'maria' : 'human' })).id)
    const urgent = await ask(w, { priority: 'critical' })

    const seen: string[] = []
    for (let cursor: string | undefined, page = 0; page < 10; page++) {
      const found: { items: { id: string }[]; next?: string } = await run(w.service, maria, 'handoff_inbox', {
        limit: 3,
        ...(cursor !== undefined && { cursor }),
      })
      seen.push(...found.items.map(({ id }) => id))
      cursor = found.next
      if (cursor === undefined) break
    }

    assert.deepEqual(seen, [urgent.id, ...ids])
  })
})

describeOnEngines('a gate in document 004', (open) => {
  it('[S4-58] keeps type, name and step when it is taken in and answered, and the answer is written beside it', async (t) => {
    const w = await open(t)
    const text = [
      'handoff:',
      '  from: { agent: architecture }',
      '  to: { agent: human, reason: "BLOCKING gate reached" }',
      '  gate: { type: advisory, name: specification, step: "2" }',
      '  context:',
      '    summary: "The architecture of the API is written down"',
      '    artifacts: [docs/api.md]',
      '  validation_request:',
      '    items: ["The scope is right"]',
      '    options: { approve: "Continue with next step", reject: "Adjustments required", question: "Clarification needed" }',
      '',
    ].join('\n')
    const { items } = await run<{ items: { id: string }[] }>(w.service, maria, 'document_import', { text })
    const { id } = items[0]!

    await w.service.closing.decide(maria, id, 'approve', 'ship it')

    const { handoff } = await w.service.looking.get(id)
    const { text: out } = await run<{ text: string }>(w.service, maria, 'document_export', { id })
    assert.deepEqual(handoff.gate, { type: 'advisory', name: 'specification', step: '2' })
    assert.match(out, /step: "2"/)
    assert.match(out, /type: advisory/)
    assert.match(out, /name: specification/)
    assert.match(out, /gate_response:\s+decision: approve\s+by: maria/)
  })
})

describeOnEngines('a gate that an agent sends', (open) => {
  it('[S4-57] goes to the person for the reason that document 004 writes', async (t) => {
    const w = await open(t)
    const { id } = (
      await w.service.sending.send(estimation, {
        to: 'human',
        title: 'May this go on?',
        type: 'gate',
        gate: { name: 'specification' },
      })
    ).handoff

    const { text } = await run<{ text: string }>(w.service, maria, 'document_export', { id, to: 'package' })

    assert.match(text, /to:\s+agent: human\s+reason: BLOCKING gate reached/)
  })
})

describeOnEngines('the name of a gate', (open) => {
  it('is in the log, and gone for good where it is redacted', async (t) => {
    const w = await open(t)
    const { handoff } = await w.service.sending.send(estimation, {
      to: 'human',
      title: 'May this go on?',
      type: 'gate',
      gate: { name: 'customer-acme-17' },
    })
    const logged = async () => {
      const [first] = await w.store.timeline(handoff.uid, handoff.uid, 5)
      return (first?.disclosures ?? []).some((each) => Buffer.from(each, 'base64url').includes('acme'))
    }
    const before = await logged()

    await run(w.service, maria, 'audit_redact', { id: handoff.id, field: 'gate', reason: 'customer' })

    for await (const { row } of w.store.dump()) assert.equal(JSON.stringify(row).includes('acme'), false)
    assert.deepEqual([before, await logged()], [true, false])
  })
})
