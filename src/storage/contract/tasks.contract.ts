import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  allPages,
  freshHandoff,
  freshRecord,
  freshTask,
  offer,
  put,
  run,
} from '../../../test/support/store/store-units.ts'
import type { Task } from '../../domain/tasks/task.ts'
import type { NewRoom } from '../store.contract.ts'
import type { Store, View } from '../store.ts'

export function describeTasks(newRoom: NewRoom): void {
  describe('tasks', () => {
    it('come back field for field, with the number of their open dependencies', async (t) => {
      const store = await newRoom(t).open()
      const first = freshTask('P0.1.1')
      const full = freshTask('P0.1.2', {
        title: 'snow ☃ and "quotes"',
        status: 'in_progress',
        owner: 'codex',
        instance: 'i1',
        progress: 40,
        notes: '',
        priority: 'high',
        critical: true,
        level: 1,
        depends_on: ['P0.1.1'],
        criteria: ['p95 under 20 ms'],
        period_seq: 3,
        record_seq: 2,
        record_id: first.uid,
      })
      await create(store, first)
      await create(store, full, [first])

      assert.deepEqual(await store.task('P0.1.2'), { task: full, open_deps: 1 })
      assert.deepEqual(await store.task(full.uid), { task: full, open_deps: 1 })
      assert.deepEqual(await store.dependents(first.uid), ['P0.1.2'])
    })

    it('are next when nothing holds them up: critical first, then level, priority and number', async (t) => {
      const store = await newRoom(t).open()
      const base = freshTask('A1', { priority: 'low' })
      const tasks = [
        freshTask('A10'),
        freshTask('A2'),
        freshTask('A3', { priority: 'critical' }),
        freshTask('A4', { critical: true, level: 5 }),
        freshTask('A5', { level: 1 }),
        freshTask('A6', { status: 'assigned', owner: 'codex' }),
        freshTask('A7', { status: 'in_progress', owner: 'codex' }),
        freshTask('A8', { status: 'done' }),
      ]
      await create(store, base)
      for (const task of tasks) await create(store, task)
      await create(store, freshTask('A9', { critical: true }), [base])

      const next = await store.nextTasks(20)

      assert.deepEqual(idsOf(next), ['A4', 'A3', 'A2', 'A6', 'A10', 'A1', 'A5'])
      assert.deepEqual(idsOf(await store.nextTasks(2)), ['A4', 'A3'])
    })

    it('tell where the longest chain of open work begins, the first by number of equally long ones', async (t) => {
      const store = await newRoom(t).open()
      const [short, long, middle, lone] = ['L10', 'L2', 'L3', 'L1'].map((id) => freshTask(id)) as [
        Task,
        Task,
        Task,
        Task,
      ]
      const head = async () => (await store.longestChain())?.task.id
      const seen = [await head()]
      for (const task of [lone, short, long]) await create(store, task)
      seen.push(await head())
      await create(store, freshTask('L11'), [short])
      seen.push(await head())
      // Both are new in one transaction: the chain grows by two at once.
      await Promise.all([create(store, middle, [long]), create(store, freshTask('L4'), [middle])])
      seen.push(await head())
      await run(store, { tasks: ['L2'] }, (view) =>
        view.putTask({ ...view.task('L2')!.task, status: 'in_progress' }),
      )
      seen.push(await head())
      await run(store, { tasks: ['L2'] }, (view) => finish(view, 'L2'))
      seen.push(await head())

      // L3 and L10 begin chains of two; L3 comes first by number.
      assert.deepEqual(seen, [undefined, undefined, 'L10', 'L2', 'L2', 'L3'])
    })

    it('leave the longest chain aside while an open task is flagged critical', async (t) => {
      const store = await newRoom(t).open()
      const base = freshTask('F1')
      await create(store, base)
      await create(store, freshTask('F2'), [base])
      await create(store, freshTask('F3', { critical: true }))

      const before = await store.longestChain()
      await run(store, { tasks: ['F3'] }, (view) => finish(view, 'F3'))

      assert.deepEqual([before, (await store.longestChain())?.task.id], [undefined, 'F1'])
    })

    it('are freed when the last dependency is done, and held up again when it is opened again', async (t) => {
      const store = await newRoom(t).open()
      const [one, two] = [freshTask('D1'), freshTask('D2')]
      await create(store, one)
      await create(store, two)
      await create(store, freshTask('D3'), [one, two])
      const openOf = async () => (await store.task('D3'))?.open_deps

      await run(store, { tasks: ['D1'] }, (view) => finish(view, 'D1'))
      assert.equal(await openOf(), 1)
      await run(store, { tasks: ['D2'] }, (view) => finish(view, 'D2'))
      assert.equal(await openOf(), 0)
      assert.deepEqual(idsOf(await store.nextTasks(9)), ['D3'])
      await run(store, { tasks: ['D1'] }, (view) => reopen(view, 'D1'))
      assert.equal(await openOf(), 1)
    })

    for (const order of [
      'create then finish',
      'finish then create',
      'create then reopen',
      'reopen then create',
    ])
      it(`count dependencies rightly when one transaction holds both: ${order}`, async (t) => {
        const store = await newRoom(t).open()
        const reopens = order.includes('reopen')
        const base = freshTask('B1', { status: reopens ? 'done' : 'todo' })
        await create(store, base)
        const bystander = freshTask('B3')
        await create(store, bystander, [base], reopens ? 0 : 1)
        const make = () =>
          run(store, { tasks: ['B1', 'B2'] }, (view) => {
            const open = view.task('B1')?.task.status === 'done' ? 0 : 1
            view.putTask(freshTask('B2', { depends_on: ['B1'] }), { depends_on: [base.uid], open_deps: open })
          })
        const shift = () =>
          run(store, { tasks: ['B1'] }, (view) => (reopens ? reopen(view, 'B1') : finish(view, 'B1')))

        await Promise.all(order.startsWith('create') ? [make(), shift()] : [shift(), make()])

        const open = reopens ? 1 : 0
        assert.deepEqual(
          [(await store.task('B2'))?.open_deps, (await store.task('B3'))?.open_deps],
          [open, open],
        )
      })

    it('show later units of the transaction what earlier ones freed', async (t) => {
      const store = await newRoom(t).open()
      const base = freshTask('C1')
      await create(store, base)
      await create(store, freshTask('C2', { depends_on: ['C1'] }), [base])

      const [, seen] = await Promise.all([
        run(store, { tasks: ['C1'] }, (view) => finish(view, 'C1')),
        run(store, { tasks: ['C2'] }, (view) => view.task('C2')?.open_deps),
      ])

      assert.equal(seen, 0)
    })

    it('are listed as people count, by status, owner and a part of the id', async (t) => {
      const store = await newRoom(t).open()
      await create(store, freshTask('P0.1.10', { title: 'Write 100% of it', owner: 'codex' }))
      await create(store, freshTask('P0.1.2', { status: 'done', owner: 'codex' }))
      await create(store, freshTask('P0.1.1', { title: 'write the parser' }))
      const list = async (filter: Parameters<Store['tasks']>[0]) =>
        (await allPages(1, (page) => store.tasks(filter, page))).map(({ task }) => task.id)

      assert.deepEqual(await list({}), ['P0.1.1', 'P0.1.2', 'P0.1.10'])
      assert.deepEqual(await list({ owner: 'codex' }), ['P0.1.2', 'P0.1.10'])
      assert.deepEqual(await list({ status: ['todo', 'assigned'] }), ['P0.1.1', 'P0.1.10'])
      assert.deepEqual(await list({ ref: '1_2' }), [])
      assert.deepEqual(await list({ ref: '.1.2', status: ['done'] }), ['P0.1.2'])
    })

    it('keep their records, newest first', async (t) => {
      const store = await newRoom(t).open()
      for (const summary of ['one', 'two', 'three'])
        await run(store, {}, (view) => view.addRecord(freshRecord({ summary })))

      const found = await store.records('T1', 2)

      assert.deepEqual(
        found.map(({ summary }) => summary),
        ['three', 'two'],
      )
    })

    it('tell the newest records of all of them, in the order in which they were written', async (t) => {
      const store = await newRoom(t).open()
      for (const [task_id, created_at] of [
        ['T1', '2026-02-21T14:30:00.000Z'],
        ['T2', '2026-02-21T09:00:00.000Z'],
        ['T1', '2020-01-01T00:00:00.000Z'],
      ] as const)
        await run(store, {}, (view) => view.addRecord(freshRecord({ task_id, created_at })))

      const found = await store.latestRecords(2)

      assert.deepEqual(
        found.map(({ task_id, created_at }) => [task_id, created_at.slice(0, 4)]),
        [
          ['T1', '2020'],
          ['T2', '2026'],
        ],
      )
    })

    it('know their newest handoff, also between two agents', async (t) => {
      const store = await newRoom(t).open()
      const first = await offer(store, { task: 'T1', from: 'planner', to: 'codex' })
      const second = await offer(store, { task: 'T1', from: 'codex', to: 'claude' })
      await offer(store, { task: 'T2', from: 'planner', to: 'codex' })

      assert.deepEqual(await store.latest('T1'), second)
      assert.deepEqual(await store.latest('T1', 'planner', 'codex'), first)
      assert.deepEqual(await store.latest('T1', undefined, 'codex'), first)
      assert.deepEqual(await store.latest('T1', 'codex'), second)
      assert.equal(await store.latest('T1', 'claude', 'codex'), undefined)
    })

    it('tell a decision their newest handoff between two, also one of the same transaction', async (t) => {
      const store = await newRoom(t).open()
      const first = await offer(store, { task: 'T1', from: 'planner', to: 'codex' })
      const back = { task: 'T1', from: 'codex', to: 'planner' }
      const second = await offer(store, back)
      const latest = { task: 'T1', from: 'planner', to: 'codex' }
      const other = { ...latest, to: 'claude' }
      const made = freshHandoff(latest)

      const seen = await Promise.all([
        run(store, { tasks: ['T1'], latest: [latest, back] }, (view) => view.latest(latest)?.uid),
        run(store, { tasks: ['T1'], latest: [latest, back] }, (view) => view.latest(back)?.uid),
        run(store, {}, (view) => put(view, made)),
        run(store, { tasks: ['T1'], latest: [latest] }, (view) => view.latest(latest)?.uid),
        run(store, { latest: [other] }, (view) => view.latest(other)?.uid),
        run(store, {}, (view) => view.latest(latest)?.uid),
      ])

      assert.deepEqual(seen, [first.uid, second.uid, undefined, made.uid, undefined, undefined])
    })

    it('are refused when the id is taken, and the first one is kept', async (t) => {
      const store = await newRoom(t).open()
      const first = freshTask('T1', { title: 'first' })
      await create(store, first)

      // A unit that does not look whether the id is taken.
      const second = run(store, {}, (view) =>
        view.putTask(freshTask('T1', { title: 'second' }), { depends_on: [], open_deps: 0 }),
      )

      await assert.rejects(second, { name: 'BatonError', code: 'conflict' })
      assert.deepEqual(await store.task('T1'), { task: first, open_deps: 0 })
    })
  })
}

const idsOf = (rows: readonly { readonly task: Task }[]): readonly string[] => rows.map(({ task }) => task.id)

const create = (
  store: Store,
  task: Task,
  on: readonly Task[] = [],
  open_deps: number = on.length,
): Promise<void> =>
  run(store, { tasks: [task.id] }, (view) =>
    view.putTask(
      { ...task, depends_on: on.map(({ id }) => id) },
      { depends_on: on.map(({ uid }) => uid), open_deps },
    ),
  )

function finish(view: View, id: string): void {
  const row = view.task(id)!
  view.putTask({ ...row.task, status: 'done', rev: row.task.rev + 1 })
  view.shiftDependents(row.task.uid, -1)
}

function reopen(view: View, id: string): void {
  const row = view.task(id)!
  view.putTask({ ...row.task, status: 'todo', rev: row.task.rev + 1 })
  view.shiftDependents(row.task.uid, 1)
}
