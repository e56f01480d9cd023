import assert from 'node:assert/strict'
import { it } from 'node:test'
import { packageId } from '../../src/domain/workflow/run.ts'
import { exportDocument } from '../../src/service/documents/export-document.ts'
import { redact } from '../../src/service/redaction/redact.ts'
import { tablesOf } from '../support/log/log.ts'
import { by, describeOnEngines, person } from '../support/program/workspace.ts'

const orchestrator = by('orchestrator')
const maria = person('maria')
const UNDERSTOOD = { understood: { task: 'I do the step' } }

const DEFINITION = `name: traced
home: package
steps:
  - { id: a, title: First, agent: codex, gate: {} }
  - { id: b, title: Second, agent: gemini, summary: Go on where the first step ended }
`

describeOnEngines('what a run leaves behind', (open) => {
  it('[S4-13] [S4-77] stands in the package document of each step', async (t) => {
    const { service } = await open(t)
    await (await service.workflows()).start(orchestrator, { definition: DEFINITION })

    const { text } = await exportDocument(service.deps, by('codex'), { id: 'traced-1.a', to: 'package' })

    assert.match(text, /^handoff:\n {2}id: HO-001\n/)
    assert.match(
      text,
      / {2}workflow_state:\n {4}name: traced\n {4}current_step: 1\n {4}completed_steps: \[\]\n {4}remaining_steps:\n {6}- a\n {6}- b\n/,
    )
    assert.doesNotMatch(text, / {4}data:/)
  })

  it('[S4-78] [S4-79] is counted anew in every run, past 999 too, under a name that a folder can have', async (t) => {
    const { service, store } = await open(t)
    const first = await (await service.workflows()).start(orchestrator, { definition: DEFINITION })
    const second = await (await service.workflows()).start(orchestrator, { definition: DEFINITION })

    for (const run of [first, second]) {
      assert.match(run.id, /^[a-z0-9][a-z0-9-]*$/)
      const { items } = await store.handoffs({ run: run.uid }, { limit: 9 })
      assert.deepEqual(
        items.map(({ aliases }) => aliases?.package),
        ['HO-001'],
      )
    }
    assert.notEqual(first.id, second.id)
    assert.deepEqual([packageId(99), packageId(999), packageId(1_000)], ['HO-099', 'HO-999', 'HO-1000'])
  })

  it('loses a text everywhere when it is redacted, also in the run and in the step that follows', async (t) => {
    const { service, store } = await open(t)
    const secret = 'the password of the shop is hunter-two-and-a-half'
    await (await service.workflows()).start(orchestrator, { definition: DEFINITION })
    await service.receiving.accept(by('codex'), 'traced-1.a', UNDERSTOOD)
    await service.receiving.submit(by('codex'), 'traced-1.a', { note: secret })
    await service.closing.decide(maria, 'traced-1.a.gate', 'approve', 'fine')
    const holds = async () => {
      const tables = await tablesOf(store)
      return [...tables]
        .filter(([, rows]) => JSON.stringify(rows).includes('hunter-two'))
        .map(([name]) => name)
    }
    assert.deepEqual(
      (await holds()).filter((name) => name === 'run'),
      ['run'],
    )

    await redact(service.deps, maria, { id: 'traced-1.a', field: 'note', reason: 'leaked-key' })

    assert.deepEqual(await holds(), [])
    assert.equal((await (await service.workflows()).find('traced-1')).steps[0]?.summary, '[redacted]')
    await service.receiving.accept(by('gemini'), 'traced-1.b', UNDERSTOOD)
    await service.receiving.submit(by('gemini'), 'traced-1.b', { note: 'Done' })
    assert.equal((await (await service.workflows()).find('traced-1')).state, 'completed')
  })
})
