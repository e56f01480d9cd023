import assert from 'node:assert/strict'
import { it } from 'node:test'
import { by, describeOnEngines } from '../../test/support/program/workspace.ts'
import { BatonError } from '../domain/errors.ts'
import { Together } from './together.ts'

describeOnEngines('several calls that are one change', (open) => {
  it('are done when they are committed, though one of them fails at something that comes after', async (t) => {
    const { service, store } = await open(t)
    const together = new Together(store)

    await together.run([
      () => service.tasks.create({ ...by('planner'), together }, { id: 'T1', title: 'First' }),
      async () => {
        await service.tasks.create({ ...by('planner'), together }, { id: 'T2', title: 'Second' })
        throw new BatonError('conflict', 'too late to refuse anything')
      },
    ])

    assert.deepEqual([(await store.task('T1'))?.task.rev, (await store.task('T2'))?.task.rev], [1, 1])
  })

  it('leave nothing when one is refused, also where another of them tries again', async (t) => {
    const { service, store } = await open(t)
    const together = new Together(store)
    const call = { ...by('planner'), together }
    const create = () => service.tasks.create(call, { id: 'T1', title: 'First' })

    const both = together.run([
      () => create().catch(create),
      () => service.tasks.update(call, 'T404', { status: 'in_progress' }),
    ])

    await assert.rejects(both, { code: 'not_found' })
    assert.equal(await store.task('T1'), undefined)
  })

  it('take numbers of their own', async (t) => {
    const { service, store } = await open(t)
    const together = new Together(store)
    const ids: string[] = []

    await together.run(
      ['codex', 'claude'].map((to) => async () => {
        const { handoff } = await service.sending.send({ ...by('planner'), together }, { to, title: 'Work' })
        ids.push(handoff.id)
      }),
    )

    assert.deepEqual(ids.toSorted(), ['HO-2026-001', 'HO-2026-002'])
  })

  it('see the newest handoff of each pair', async (t) => {
    const { service, store } = await open(t)
    const work = { title: 'Work', task: 'T1', home: 'markdown' } as const
    const { handoff } = await service.sending.send(by('planner'), { ...work, to: 'claude' })
    const together = new Together(store)
    const call = { ...by('planner'), together }

    const both = together.run(
      ['codex', 'claude'].map((to) => () => service.sending.send(call, { ...work, to })),
    )

    await assert.rejects(both, { code: 'conflict', message: new RegExp(`^${handoff.id} already hands T1`) })
  })
})
