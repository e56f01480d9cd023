import assert from 'node:assert/strict'
import { it } from 'node:test'
import { criticalPath } from '../../../test/support/critical-path.ts'
import { run } from '../../../test/support/program/invoke.ts'
import { by, describeOnEngines, type Workspace } from '../../../test/support/program/workspace.ts'
import type { OperationOutput } from '../../runner/operation-types.ts'

const planner = by('planner')
type Plan = OperationOutput<'task_plan'>

const planOf = ({ service }: Workspace, input = {}): Promise<Plan> =>
  run<Plan>(service, planner, 'task_plan', input)

async function add({ service }: Workspace, id: string, ...depends_on: string[]): Promise<void> {
  await run(service, planner, 'task_create', { id, title: `Task ${id}`, depends_on })
}

/** A chain of six in the middle, and many short ones around it. */
async function fill(w: Workspace, pairs: number): Promise<void> {
  for (let i = 1; i <= 6; i++) await add(w, `P5.${i}`, ...(i > 1 ? [`P5.${i - 1}`] : []))
  for (let i = 1; i <= pairs; i++) {
    await add(w, `P1.${i}`)
    await add(w, `P2.${i}`, `P1.${i}`)
  }
}

const idsOf = (tasks: Plan['path']): string[] => tasks.map(({ id }) => id)

describeOnEngines('the plan of tasks', (open) => {
  it('[A3-25] answers the path over all tasks, their counts by level, and draws a small plan whole', async (t) => {
    const w = await open(t)
    await fill(w, 4)
    await run(w.service, planner, 'task_start', { id: 'P5.1' })

    const plan = await planOf(w)

    const all = (await w.store.tasks({}, { limit: 100 })).items.map(({ task }) => task)
    assert.deepEqual(idsOf(plan.path), criticalPath(all))
    assert.equal(plan.path.length, 6)
    assert.deepEqual([plan.whole, plan.drawn.length, plan.ready], [true, 14, 4])
    assert.deepEqual(plan.counts, { in_progress: 1, todo: 13 })
    assert.deepEqual(
      plan.levels.map(({ open: many, ready }) => [many, ready]),
      [
        [5, 4],
        [5, 0],
        [1, 0],
        [1, 0],
        [1, 0],
        [1, 0],
      ],
    )
  })

  it('draws of a large plan the path and the neighbours of the task that was asked for', async (t) => {
    const w = await open(t)
    await fill(w, 30)

    const [plan, near] = [await planOf(w), await planOf(w, { around: 'P2.7' })]

    assert.equal(plan.whole, false)
    assert.deepEqual(idsOf(plan.drawn), idsOf(plan.path))
    assert.deepEqual(idsOf(near.drawn), [...idsOf(plan.path), 'P2.7', 'P1.7'])
    assert.equal(
      near.levels.reduce((sum, { open: many }) => sum + many, 0),
      66,
    )
  })

  it('[A3-25] names every task of a path that is longer than the part it tells of', async (t) => {
    const w = await open(t)
    for (let i = 1; i <= 203; i++) await add(w, `P7.${i}`, ...(i > 1 ? [`P7.${i - 1}`] : []))
    await run(w.service, planner, 'task_create', { id: 'P8.1', title: 'Short', depends_on: ['P7.1'] })

    const plan = await planOf(w)

    const all = Array.from({ length: 203 }, (_, i) => `P7.${i + 1}`)
    assert.deepEqual(plan.path_ids, all)
    assert.deepEqual(idsOf(plan.path), all.slice(0, 200))
  })

  it('[A3-25] lets flagged tasks be the path', async (t) => {
    const w = await open(t)
    await fill(w, 1)
    await run(w.service, planner, 'task_create', { id: 'P9.1', title: 'Flagged', critical: true })

    const { path, path_ids } = await planOf(w)
    assert.deepEqual([idsOf(path), path_ids], [['P9.1'], ['P9.1']])
  })
})
