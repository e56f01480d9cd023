import assert from 'node:assert/strict'
import { it } from 'node:test'
import { by, describeOnEngines, person, type Workspace } from '../../../test/support/program/workspace.ts'

const planner = by('planner')
const claude = by('claude')
const codex = by('codex')
const RECORD = {
  branch: 'feature/p1-work',
  commit_sha: 'a'.repeat(40),
  tests_run: ['smoke.test.ts'],
  summary: 'It was done. It was tested. It was pushed.',
  blockers: [],
}

const create = ({ service }: Workspace, id: string, more = {}) =>
  service.tasks.create(planner, { id, title: `Task ${id}`, ...more })
const nextOf = async ({ service }: Workspace) => (await service.tasks.next(50)).map(({ task }) => task.id)

/** Done by document 000's way, which knows no record: what the merge check finds and cannot let pass. */
async function doneWithoutRecord(w: Workspace, id: string): Promise<void> {
  await create(w, id)
  const { handoff } = await w.service.sending.send(planner, {
    to: 'claude',
    title: 'Work',
    task: id,
    home: 'markdown',
  })
  await w.service.receiving.accept(claude, handoff.uid)
  await w.service.receiving.submit(claude, handoff.uid, {})
  await w.service.closing.verify(by('perplexity'), handoff.uid, { pass: true })
}

describeOnEngines('a task that counts as done', (open) => {
  it('[S3-49] without a record is put back in progress, and is done only after a new one', async (t) => {
    const w = await open(t)
    await doneWithoutRecord(w, 'P1')
    await create(w, 'P2', { depends_on: ['P1'] })
    const before = await nextOf(w)

    const { task } = await (await w.service.history()).reopen(codex, 'P1', 'merge refused: no thought_record')
    const { entries } = await (await w.service.history()).log('P1', 50)

    assert.deepEqual(before, ['P2'])
    assert.deepEqual([task.status, task.done_at], ['in_progress', undefined])
    assert.deepEqual(await nextOf(w), [])
    assert.equal(entries.at(-1)?.act, 'task.reopen')
    await assert.rejects(w.service.tasks.update(claude, 'P1', { status: 'done' }), { code: 'unmet' })
    await w.service.tasks.complete(claude, 'P1', RECORD)
    assert.deepEqual(await nextOf(w), ['P2'])
  })

  it('with its record is opened by a person or a pm alone', async (t) => {
    const w = await open(t)
    await w.service.agents.add(person('maria'), { name: 'lead', roles: ['pm'] })
    await create(w, 'P1')
    await w.service.tasks.start(claude, 'P1')
    await w.service.tasks.complete(claude, 'P1', RECORD)

    await assert.rejects((await w.service.history()).reopen(codex, 'P1', 'why not'), {
      code: 'not_allowed',
      message: /only a person or an agent with the role pm/,
    })
    const { task } = await (await w.service.history()).reopen(by('lead'), 'P1', 'found broken')

    assert.equal(task.status, 'in_progress')
    await assert.rejects(w.service.tasks.update(claude, 'P1', { status: 'done' }), { code: 'unmet' })
  })

  it('is the only one that can be reopened, once of many callers', async (t) => {
    const w = await open(t)
    await doneWithoutRecord(w, 'P1')
    await create(w, 'P2')
    const beside = await w.beside()

    const race = await Promise.allSettled(
      [w.service, beside, w.service].map(async (service) =>
        (await service.history()).reopen(codex, 'P1', 'no record'),
      ),
    )

    assert.equal(race.filter(({ status }) => status === 'fulfilled').length, 1)
    await assert.rejects((await w.service.history()).reopen(person('maria'), 'P2', 'x'), {
      code: 'wrong_state',
    })
  })
})
