import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { EXAMPLE, recordOf, run } from '../../test/support/program/invoke.ts'
import { by, describeOnEngines, person, START, type Workspace } from '../../test/support/program/workspace.ts'
import type { Task, ThoughtRecord } from '../domain/tasks/task.ts'
import type { Call } from '../service/deps.ts'
import type { OperationName } from './index.ts'

const planner = by('planner')
const claude = by('claude')
const codex = by('codex')

const REQUIRED = 'Writeback required: thought_record must be recorded before task completion.'
const STAGE_2 = {
  task_id: 'P0.1.1',
  branch: 'feature/p0-1-1-package-setup',
  commit_sha: EXAMPLE.commit_sha,
  tests_run: ['smoke.test.ts', 'eslint', 'tsc'],
  summary: EXAMPLE.summary,
  blockers: [],
}

/** A workspace with the tasks of the document's sample and the ways to ask. */
async function opened(open: () => Promise<Workspace>, ids: readonly string[] = ['P0.1.1']) {
  const w = await open()
  const ask = <T = Task>(call: Call, name: OperationName, input: unknown = {}) =>
    run<T>(w.service, call, name, input)
  for (const id of ids) await ask(planner, 'task_create', { id, title: `Task ${id}` })
  const task = async (id = 'P0.1.1') => (await ask<{ task: Task }>(planner, 'task_get', { id })).task
  const next = async () =>
    (await ask<{ items: Task[] }>(planner, 'task_next_actions')).items.map(({ id }) => id)
  return { ...w, ask, task, next }
}

describeOnEngines('task_update', (open) => {
  it('[S3-10] [S3-11] [S3-13] takes a task id, one of three statuses and notes', async (t) => {
    const { ask } = await opened(() => open(t))

    const updated = await ask(claude, 'task_update', {
      task_id: 'P0.1.1',
      status: 'in_progress',
      progress: 40,
      notes: 'Parser reads every field.',
    })

    assert.deepEqual(
      [updated.id, updated.status, updated.progress, updated.notes],
      ['P0.1.1', 'in_progress', 40, 'Parser reads every field.'],
    )
    for (const status of ['blocked', 'assigned', 'review', 'Done'])
      await assert.rejects(ask(claude, 'task_update', { task_id: 'P0.1.1', status }), {
        code: 'invalid_input',
      })
    for (const task_id of ['', 'a b', 7, null])
      await assert.rejects(ask(claude, 'task_update', { task_id, progress: 1 }), { code: 'invalid_input' })
    await assert.rejects(ask(claude, 'task_update', { task_id: 'P0.1.1', notes: 7 }), {
      code: 'invalid_input',
    })
  })

  it('[S3-13] warns of notes that are longer than two sentences and takes them', async (t) => {
    const { ask } = await opened(() => open(t))

    const long = await ask<Task & { warnings: string[] }>(claude, 'task_update', {
      task_id: 'P0.1.1',
      notes: 'One. Two. Three.',
    })

    assert.deepEqual(
      [long.notes, long.warnings],
      ['One. Two. Three.', ['notes has 3 sentences; write 1 or 2.']],
    )
  })

  it('[S3-12] refuses a progress outside 0 to 100, and one that is no number', async (t) => {
    const { ask, task } = await opened(() => open(t))
    const wrong = fc.oneof(
      fc.double({ max: -Number.MIN_VALUE, noNaN: true }),
      fc.double({ min: 100.000_001, noNaN: true }),
      fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, '40', true, null, [40]),
    )

    await fc.assert(
      fc.asyncProperty(wrong, (progress) =>
        assert.rejects(ask(claude, 'task_update', { task_id: 'P0.1.1', progress }), {
          code: 'invalid_input',
        }),
      ),
      { numRuns: 50 },
    )

    assert.equal((await task()).progress, 0)
  })

  it('[S3-14] completes with done and 100, and takes no other progress for done', async (t) => {
    const { ask } = await opened(() => open(t))
    await ask(claude, 'thought_record', EXAMPLE)

    await assert.rejects(ask(claude, 'task_update', { task_id: 'P0.1.1', status: 'done', progress: 99 }), {
      code: 'invalid_input',
      message: 'a task that is done has progress 100, not 99; write progress: 100 or status: "in_progress".',
    })
    const early = await ask(claude, 'task_update', { task_id: 'P0.1.1', progress: 100 })
    const done = await ask(claude, 'task_update', { task_id: 'P0.1.1', status: 'done', progress: 100 })

    assert.deepEqual([early.status, done.status, done.progress], ['todo', 'done', 100])
  })

  it('[S3-15] reads id as task_id and done as progress 100, and refuses two ids that differ', async (t) => {
    const { ask } = await opened(() => open(t), ['P0.1.2'])
    await ask(claude, 'thought_record', { ...recordOf('P0.1.2'), id: 'P0.1.2' })

    await assert.rejects(ask(claude, 'task_update', { id: 'P0.1.2', task_id: 'P0.1.1', status: 'done' }), {
      code: 'invalid_input',
      message: 'task_id is P0.1.1 and id is P0.1.2; keep task_id and remove id',
    })
    const done = await ask(claude, 'task_update', { id: 'P0.1.2', status: 'done' })

    assert.deepEqual([done.id, done.status, done.progress], ['P0.1.2', 'done', 100])
  })

  it('[S3-28] refuses a task that nobody knows, as thought_record does', async (t) => {
    const { ask } = await opened(() => open(t), [])

    await assert.rejects(ask(claude, 'task_update', { task_id: 'P9', progress: 1 }), { code: 'not_found' })
    await assert.rejects(ask(claude, 'thought_record', recordOf('P9')), { code: 'not_found' })
  })

  it('[S3-101] answers done with the change and that the merge is permitted, and nothing of it before', async (t) => {
    const { ask } = await opened(() => open(t))
    const begun = await ask<{ reply?: string }>(claude, 'task_update', {
      task_id: 'P0.1.1',
      status: 'in_progress',
    })
    await ask(claude, 'thought_record', EXAMPLE)

    const done = await ask<{ reply?: string }>(claude, 'task_update', { task_id: 'P0.1.1', status: 'done' })

    assert.deepEqual(
      [begun.reply, done.reply],
      [undefined, 'Status updated to "done". Writeback check: thought_record exists. Merge permitted.'],
    )
  })

  it('[S3-70] is a no-op for a task that is done already, without a second entry in the log', async (t) => {
    const { ask } = await opened(() => open(t))
    await ask(claude, 'task_complete', EXAMPLE)
    const entries = async () =>
      (await ask<{ entries: unknown[] }>(planner, 'task_log', { id: 'P0.1.1' })).entries
    const before = await entries()

    const again = await ask(codex, 'task_update', { task_id: 'P0.1.1', status: 'done' })

    assert.equal(again.status, 'done')
    assert.deepEqual(await entries(), before)
  })

  it('refuses the way back from done, which is for a reinstatement', async (t) => {
    const { ask, task } = await opened(() => open(t))
    await ask(claude, 'task_complete', EXAMPLE)

    for (const status of ['todo', 'in_progress'])
      await assert.rejects(ask(claude, 'task_update', { task_id: 'P0.1.1', status }), {
        code: 'wrong_state',
        message: 'P0.1.1 is done; only a reinstatement record opens it again',
      })

    assert.equal((await task()).status, 'done')
  })

  it('[S3-86] claims with in_progress as task_start does: one holder, and nothing that waits for others', async (t) => {
    const { ask, task, next } = await opened(() => open(t))
    await ask(planner, 'task_create', { id: 'P0.1.2', title: 'Linter', depends_on: ['P0.1.1'] })
    await ask(claude, 'task_update', { task_id: 'P0.1.1', status: 'in_progress' })

    await assert.rejects(ask(codex, 'task_update', { task_id: 'P0.1.1', status: 'in_progress' }), {
      code: 'conflict',
      message: 'P0.1.1 already belongs to claude; pick another with: baton next',
    })
    await assert.rejects(ask(codex, 'task_update', { task_id: 'P0.1.1', status: 'todo' }), {
      code: 'conflict',
    })
    await assert.rejects(ask(codex, 'task_update', { task_id: 'P0.1.2', status: 'in_progress' }), {
      code: 'wrong_state',
      message: 'P0.1.2 waits for 1 other task; see: baton task get P0.1.2',
    })
    assert.deepEqual([(await task()).owner, await next()], ['claude', []])
    await ask(claude, 'task_update', { task_id: 'P0.1.1', status: 'todo' })
    assert.deepEqual([(await task()).owner, await next()], [undefined, ['P0.1.1']])
  })

  it('lets an agent give back what an instance of it held that has ended, and start it anew', async (t) => {
    const { ask, task } = await opened(() => open(t))
    const [one, two] = ['one', 'two'].map((instance) => by('claude', { instance })) as [Call, Call]
    await ask(one, 'task_start', { id: 'P0.1.1' })

    await assert.rejects(ask(two, 'task_update', { task_id: 'P0.1.1', status: 'in_progress' }), {
      code: 'conflict',
    })
    await ask(two, 'task_update', { task_id: 'P0.1.1', status: 'todo' })
    await ask(two, 'task_start', { id: 'P0.1.1' })

    assert.equal((await task()).instance, 'two')
  })

  it('lets a person take a task back from an agent that is gone', async (t) => {
    const { ask, next } = await opened(() => open(t))
    await ask(claude, 'task_start', { id: 'P0.1.1' })

    await ask(person('maria'), 'task_update', { task_id: 'P0.1.1', status: 'todo' })

    assert.deepEqual(await next(), ['P0.1.1'])
  })
})

describeOnEngines('thought_record', (open) => {
  it('[S3-24] [S3-26] takes the complete example unchanged and answers it with an id of its own', async (t) => {
    const { ask } = await opened(() => open(t))

    const first = await ask<ThoughtRecord & { warnings?: string[] }>(claude, 'thought_record', EXAMPLE)
    const second = await ask<ThoughtRecord>(claude, 'thought_record', EXAMPLE)

    const { uid, ...said } = first
    assert.deepEqual(said, { ...EXAMPLE, shape: 'completion', by: 'claude', created_at: START })
    assert.notEqual(uid, second.uid)
  })

  it('[S3-25] takes the form of Stage 2, with the two last fields empty', async (t) => {
    const { ask } = await opened(() => open(t))

    const record = await ask<ThoughtRecord>(claude, 'thought_record', STAGE_2)

    assert.deepEqual(
      [record.tests_run, record.files_changed, record.related_thought_records],
      [['smoke.test.ts', 'eslint', 'tsc'], [], []],
    )
  })

  it('[S3-18] takes a commit of 40 characters in any case, and refuses every other text', async (t) => {
    const { ask } = await opened(() => open(t))
    const kept = await ask<ThoughtRecord>(claude, 'thought_record', {
      ...EXAMPLE,
      commit_sha: EXAMPLE.commit_sha.toUpperCase(),
    })

    assert.equal(kept.commit_sha, EXAMPLE.commit_sha)
    await assert.rejects(ask(claude, 'thought_record', { ...EXAMPLE, commit_sha: 'abc123def456...' }), {
      code: 'invalid_input',
      message:
        'commit_sha: commit_sha abc123def456... is cut short; write all 40 characters, as `git rev-parse HEAD` prints them.',
    })
    const wrong = fc.string({ unit: fc.constantFrom(...'0123456789abcdefg'), maxLength: 70 })
    await fc.assert(
      fc.asyncProperty(
        wrong.filter((text) => !/^[0-9a-f]{40}$/.test(text)),
        (commit_sha) =>
          assert.rejects(ask(claude, 'thought_record', { ...EXAMPLE, commit_sha }), {
            code: 'invalid_input',
          }),
      ),
      { numRuns: 50 },
    )
  })

  it('[S3-17] [S3-19] [S3-22] refuses a branch, tests and files that are no texts', async (t) => {
    const { ask } = await opened(() => open(t))

    for (const wrong of [
      { branch: 7 },
      { branch: '' },
      { tests_run: 'smoke.test.ts' },
      { tests_run: [1] },
      { files_changed: 'package.json' },
      { files_changed: [null] },
    ])
      await assert.rejects(ask(claude, 'thought_record', { ...EXAMPLE, ...wrong }), { code: 'invalid_input' })
  })

  it('[S3-21] [S3-29] keeps blockers as objects and refuses a plain text for one', async (t) => {
    const { ask } = await opened(() => open(t))
    const blocker = { type: 'peer-dep', package: 'zod', issue: 'two versions', resolution: 'pinned' }

    const record = await ask<ThoughtRecord>(claude, 'thought_record', { ...EXAMPLE, blockers: [blocker] })

    assert.deepEqual(record.blockers, [blocker])
    await assert.rejects(ask(claude, 'thought_record', { ...EXAMPLE, blockers: ['zod'] }), {
      code: 'invalid_input',
    })
  })

  it('[S3-20] warns of a summary, a branch and tests that are not as usual, and takes them', async (t) => {
    const { ask } = await opened(() => open(t))

    const record = await ask<{ warnings: string[] }>(claude, 'thought_record', {
      ...EXAMPLE,
      branch: 'feature/p0-1-11-other',
      summary: 'It works.',
      tests_run: [],
    })

    assert.deepEqual(record.warnings, [
      'tests_run is empty, so nobody knows what was tried; write the test files that were run, for example ["smoke.test.ts"].',
      'branch feature/p0-1-11-other does not say that it is of P0.1.1; its name would begin with feature/p0-1-1-.',
      'summary has 1 sentence; write one paragraph of 3 to 5.',
    ])
  })

  it('needs branch, commit and summary for finished work, except where there is no git', async (t) => {
    const { ask } = await opened(() => open(t))
    const none = {
      git: false,
      taken: () => () => false,
      read: async () => undefined,
      prompt: async () => undefined,
    }
    const without = await opened(() => open(t, { project: async () => none }))
    const { branch: _, commit_sha: __, ...rest } = EXAMPLE

    await assert.rejects(ask(claude, 'thought_record', { task_id: 'P0.1.1' }), {
      code: 'invalid_input',
      details: { missing: ['branch', 'commit_sha', 'summary'] },
    })
    await assert.rejects(ask(claude, 'task_complete', rest), {
      details: { missing: ['branch', 'commit_sha'] },
    })
    assert.equal((await without.ask(claude, 'task_complete', rest)).status, 'done')
    await assert.rejects(without.ask(claude, 'thought_record', { task_id: 'P0.1.1' }), {
      details: { missing: ['summary'] },
    })
  })

  it('[S3-23] [S3-26] takes ids of earlier records, refuses such that do not exist, and names them', async (t) => {
    const { ask } = await opened(() => open(t), ['P0.1.1', 'P0.1.2'])
    const first = await ask<ThoughtRecord>(claude, 'thought_record', EXAMPLE)

    await assert.rejects(
      ask(claude, 'thought_record', recordOf('P0.1.2', { related_thought_records: [first.uid, 'tr-404'] })),
      {
        code: 'not_found',
        message:
          'related_thought_records names tr-404, which is not a record here; use the uid that thought_record returned, or see: baton thought list',
      },
    )
    const second = await ask<ThoughtRecord>(
      claude,
      'thought_record',
      recordOf('P0.1.2', { related_thought_records: [first.uid] }),
    )

    assert.deepEqual(second.related_thought_records, [first.uid])
  })

  it('[S3-27] [S3-105] keeps records in the order in which they came, whatever the clocks of agents say', async (t) => {
    const { ask, clock } = await opened(() => open(t), ['P0.1.1', 'P0.1.2'])
    const written: string[] = []
    for (const [task, hours] of [
      ['P0.1.1', 5],
      ['P0.1.2', -48],
      ['P0.1.1', 1],
    ] as const) {
      clock.pass(hours * 3_600_000)
      written.push((await ask<ThoughtRecord>(claude, 'thought_record', recordOf(task))).uid)
    }
    const list = async (input = {}) =>
      (await ask<{ items: ThoughtRecord[] }>(planner, 'thought_list', input)).items.map(({ uid }) => uid)

    assert.deepEqual(await list(), [...written].reverse())
    assert.deepEqual(await list({ task_id: 'P0.1.1' }), [written[2], written[0]])
    assert.deepEqual(await list({ limit: 1 }), [written[2]])
  })

  it('[S3-82] is written by the pm on behalf of the agent, and by nobody else', async (t) => {
    const { ask } = await opened(() => open(t))
    await ask(person('maria'), 'agent_add', { name: 'pm', roles: ['pm'] })
    const given = { ...EXAMPLE, on_behalf_of: 'claude' }

    await assert.rejects(ask(codex, 'thought_record', given), {
      code: 'not_allowed',
      message:
        'codex may not write for claude: on_behalf_of is for people and the role pm. A person can run: baton agent add codex --role pm',
    })
    await assert.rejects(ask(codex, 'task_complete', given), { code: 'not_allowed' })
    const record = await ask<ThoughtRecord>(by('pm'), 'thought_record', given)
    const done = await ask(by('pm'), 'task_update', { task_id: 'P0.1.1', status: 'done' })

    assert.deepEqual([record.by, record.on_behalf_of, done.status], ['pm', 'claude', 'done'])
  })
})

describeOnEngines('writeback', (open) => {
  it('[S3-68] [S3-71] [S3-74] is needed by every way to done, from todo and in_progress, whoever asks', async (t) => {
    const { ask, task } = await opened(() => open(t), ['P0.1.1', 'P0.1.2'])
    await ask(person('maria'), 'agent_add', { name: 'pm', roles: ['pm', 'chief', 'verifier'] })
    await ask(claude, 'task_start', { id: 'P0.1.2' })

    for (const call of [claude, by('pm'), person('maria'), by('baton')])
      for (const task_id of ['P0.1.1', 'P0.1.2'])
        await assert.rejects(ask(call, 'task_update', { task_id, status: 'done', progress: 100 }), {
          code: 'unmet',
          message: REQUIRED,
        })
    await assert.rejects(ask(claude, 'task_complete', { task_id: 'P0.1.2' }), { code: 'invalid_input' })

    assert.deepEqual([(await task()).status, (await task('P0.1.2')).status], ['todo', 'in_progress'])
  })

  it('[S3-72] cannot be passed by with a flag, a record that is not one, or another field', async (t) => {
    const { ask, task } = await opened(() => open(t))

    for (const more of [
      { force: true },
      { record_id: 'x' },
      { record_seq: 9 },
      { period_seq: -1 },
      { skip: 1 },
    ])
      await assert.rejects(ask(claude, 'task_update', { task_id: 'P0.1.1', status: 'done', ...more }), {
        code: 'invalid_input',
      })
    await ask(claude, 'thought_record', { task_id: 'P0.1.1', status: 'todo', notes: 'Nothing was done yet.' })
    await assert.rejects(ask(claude, 'task_update', { task_id: 'P0.1.1', status: 'done' }), {
      message: REQUIRED,
    })

    assert.equal((await task()).status, 'todo')
  })

  it('[S3-69] [S3-70] in the order of Stage 2 gives the sentence, and works when it is repeated', async (t) => {
    const { ask, task } = await opened(() => open(t))
    await ask(claude, 'task_start', { id: 'P0.1.1' })
    const update = () =>
      ask(claude, 'task_update', { task_id: 'P0.1.1', status: 'done', progress: 100, notes: 'Zero errors.' })

    await assert.rejects(update(), { code: 'unmet', message: REQUIRED })
    await ask(claude, 'thought_record', STAGE_2)
    // The record does not promote the task by itself.
    assert.equal((await task()).status, 'in_progress')
    const done = await update()

    assert.deepEqual([done.status, done.progress, done.notes], ['done', 100, 'Zero errors.'])
  })

  it('[S3-77] [S3-105] counts a record of this task and this work period only, by the order of the log', async (t) => {
    const { ask, clock } = await opened(() => open(t), ['P0.1.1', 'P0.1.2'])
    await ask(claude, 'thought_record', recordOf('P0.1.2'))
    await ask(claude, 'task_start', { id: 'P0.1.1' })
    const done = () => ask(claude, 'task_update', { task_id: 'P0.1.1', status: 'done' })
    await assert.rejects(done(), { message: REQUIRED })
    await ask(claude, 'thought_record', EXAMPLE)
    await ask(claude, 'task_update', { task_id: 'P0.1.1', status: 'todo' })
    // The clock of the next agent is a day behind: its start is later all the same.
    clock.pass(-24 * 3_600_000)
    await ask(claude, 'task_start', { id: 'P0.1.1' })
    await assert.rejects(done(), { message: REQUIRED })
    clock.pass(-24 * 3_600_000)
    await ask(claude, 'thought_record', EXAMPLE)

    assert.equal((await done()).status, 'done')
  })

  it('[S3-76] leaves no task done without a record, whatever is tried', async (t) => {
    const ids = ['A', 'B', 'C']
    const { ask, store } = await opened(() => open(t), ids)
    const step = fc.record({
      call: fc.constantFrom(claude, codex, person('maria')),
      task_id: fc.constantFrom(...ids),
      what: fc.constantFrom('start', 'done', 'todo', 'record', 'reinstate', 'complete'),
    })
    const take = ({ call, task_id, what }: { call: Call; task_id: string; what: string }) => {
      if (what === 'start') return ask(call, 'task_start', { id: task_id })
      if (what === 'record') return ask(call, 'thought_record', recordOf(task_id))
      if (what === 'complete') return ask(call, 'task_complete', recordOf(task_id))
      if (what === 'reinstate')
        return ask(call, 'thought_record', { task_id, status: 'todo', notes: 'Again.' })
      return ask(call, 'task_update', { task_id, status: what })
    }

    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 6 }), async (steps) => {
        for (const each of steps) await take(each).catch(() => undefined)
        const { items } = await store.tasks({ status: ['done'] }, { limit: 10 })
        for (const { task } of items) {
          const [record] = await store.records(task.id, 1)
          assert.equal(record?.shape, 'completion', task.id)
        }
      }),
      { numRuns: 15 },
    )
  })

  it('[S3-78] is judged in the transaction that changes the status: of a race with a reinstatement one order holds', async (t) => {
    const { ask, task, service, beside } = await opened(() => open(t))
    const other = await beside()

    for (let round = 0; round < 5; round += 1) {
      await ask(claude, 'thought_record', EXAMPLE)
      const [done] = await Promise.allSettled([
        run(other, claude, 'task_update', { task_id: 'P0.1.1', status: 'done' }),
        run(service, codex, 'thought_record', { task_id: 'P0.1.1', status: 'todo', notes: 'Reverted.' }),
      ])
      // Done first, and the reinstatement opened it again; or reinstated first, and done was refused.
      const { status, record_seq = 0, period_seq } = await task()
      assert.equal(status, 'todo')
      assert.ok(period_seq > record_seq)
      if (done.status === 'rejected') assert.equal(done.reason.message, REQUIRED)
    }
  })

  it('[S3-66] [S3-67] frees the dependants at done, not at the merge, also for the same agent', async (t) => {
    const { ask, next } = await opened(() => open(t))
    await ask(planner, 'task_create', { id: 'P0.1.2', title: 'Linter', depends_on: ['P0.1.1'] })
    const before = await next()

    await ask(claude, 'task_complete', EXAMPLE)

    assert.deepEqual([before, await next()], [['P0.1.1'], ['P0.1.2']])
    assert.equal((await ask(claude, 'task_start', { id: 'P0.1.2' })).owner, 'claude')
  })

  it('allows done with blockers, which are no dependencies and are there for the next agent', async (t) => {
    const { ask, next } = await opened(() => open(t))
    await ask(planner, 'task_create', { id: 'P0.1.2', title: 'Linter', depends_on: ['P0.1.1'] })

    await ask(claude, 'task_complete', { ...EXAMPLE, blockers: [{ type: 'peer-dep', package: 'zod' }] })

    assert.deepEqual(await next(), ['P0.1.2'])
    const { items } = await ask<{ items: ThoughtRecord[] }>(planner, 'thought_list')
    assert.deepEqual(items[0]?.blockers, [{ type: 'peer-dep', package: 'zod' }])
  })
})

describeOnEngines('task_complete', (open) => {
  it('[S3-80] writes record and done once, however often the call is repeated with and without its key', async (t) => {
    const { ask } = await opened(() => open(t))
    const keyed = by('claude', { key: 'k1' })
    await ask(claude, 'task_start', { id: 'P0.1.1' })

    const first = await ask(keyed, 'task_complete', EXAMPLE)
    const again = await ask(keyed, 'task_complete', EXAMPLE)
    const keyless = await ask(claude, 'task_complete', EXAMPLE)

    assert.deepEqual([again.rev, keyless.rev], [first.rev, first.rev])
    const { items } = await ask<{ items: ThoughtRecord[] }>(planner, 'thought_list')
    assert.equal(items.length, 1)
  })

  it('refuses another record for what is done already, and says how to add one', async (t) => {
    const { ask } = await opened(() => open(t))
    await ask(claude, 'task_complete', EXAMPLE)

    for (const other of [
      { call: codex, more: {} },
      { call: claude, more: { summary: 'Another one.' } },
    ])
      await assert.rejects(ask(other.call, 'task_complete', { ...EXAMPLE, ...other.more }), {
        code: 'wrong_state',
        message: /^P0\.1\.1 is done already; add what you know with: baton thought record P0\.1\.1/,
      })
  })
})

describeOnEngines('a tool about one task', (open) => {
  it('takes its id as id and as task_id, and refuses two that differ', async (t) => {
    const { ask } = await opened(() => open(t))
    await ask(planner, 'task_create', { task_id: 'P0.1.2', title: 'By its other name' })

    for (const name of ['task_get', 'task_start', 'task_brief', 'task_log', 'thought_list'] as const) {
      const answers = [
        await ask(claude, name, { id: 'P0.1.2' }),
        await ask(claude, name, { task_id: 'P0.1.2' }),
      ]
      assert.deepEqual(answers[0], answers[1], name)
      await assert.rejects(ask(claude, name, { id: 'P0.1.2', task_id: 'P0.1.1' }), { code: 'invalid_input' })
    }
  })
})
