import assert from 'node:assert/strict'
import { it } from 'node:test'
import { EXAMPLE, run } from '../../../test/support/program/invoke.ts'
import { by, describeOnEngines, person, type Workspace } from '../../../test/support/program/workspace.ts'
import { BatonError, type ErrorCode } from '../../domain/errors.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import type { Store } from '../../storage/store.ts'

const planner = by('planner')
const claude = by('claude')

type Escalated = { readonly handoff: Handoff }

const FAILED =
  'Writeback failed: unable to insert thought_record. Retry with fresh DB connection or escalate.'

/** A store whose transactions fail with whatever is set here. */
function faulty() {
  const fault: { error?: unknown } = {}
  const wrap = (store: Store): Store =>
    new Proxy(store, {
      get(target, key) {
        if (key === 'transact' && fault.error !== undefined) return () => Promise.reject(fault.error)
        const value = Reflect.get(target, key, target)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
  return { fault, wrap }
}

const ways: Readonly<Record<string, (w: Workspace) => Promise<unknown>>> = {
  thought_record: ({ service }) => run(service, claude, 'thought_record', EXAMPLE),
  task_complete: ({ service }) => run(service, claude, 'task_complete', EXAMPLE),
  'task_update to done': ({ service }) =>
    run(service, claude, 'task_update', { task_id: 'P0.1.1', status: 'done' }),
}

describeOnEngines('a store that fails', (open) => {
  for (const [name, call] of Object.entries(ways))
    it(`[S3-73] [S3-74] [S3-80] answers ${name} with the sentence of document 003, and takes the retry`, async (t) => {
      const { fault, wrap } = faulty()
      const w = await open(t, { wrap })
      await run(w.service, planner, 'task_create', { id: 'P0.1.1', title: 'Package setup' })
      await run(w.service, claude, 'task_start', { id: 'P0.1.1' })
      if (name === 'task_update to done') await run(w.service, claude, 'thought_record', EXAMPLE)
      const seen: [ErrorCode, string, unknown][] = []

      for (const error of [
        new Error('connection terminated unexpectedly'),
        new BatonError('unavailable', 'the disk is full'),
        new BatonError('timed_out', 'no answer in 30 s'),
        new BatonError('store_refused', 'a table is gone'),
        new BatonError('internal', 'SQLite refused the statement'),
      ]) {
        fault.error = error
        await assert.rejects(call(w), (thrown: unknown) => {
          assert.ok(thrown instanceof BatonError)
          assert.deepEqual([thrown.message, thrown.retry, thrown.cause], [FAILED, true, error])
          seen.push([thrown.code, String(thrown.details.reason), undefined])
          return true
        })
      }
      delete fault.error

      assert.deepEqual(
        seen.map(([code]) => code),
        ['unavailable', 'unavailable', 'timed_out', 'unavailable', 'unavailable'],
      )
      assert.equal((await w.service.tasks.get('P0.1.1')).row.task.status, 'in_progress')
      await call(w)
      assert.equal((await w.service.tasks.records('P0.1.1', 9)).length, 1)
    })

  it('says what it is where nothing was to be written back, and passes refusals on', async (t) => {
    const { fault, wrap } = faulty()
    const { service } = await open(t, { wrap })
    await run(service, planner, 'task_create', { id: 'P0.1.1', title: 'Package setup' })

    await assert.rejects(run(service, claude, 'thought_record', { ...EXAMPLE, task_id: 'P9' }), {
      code: 'not_found',
    })
    fault.error = new BatonError('unavailable', 'the disk is full')
    await assert.rejects(run(service, claude, 'task_update', { task_id: 'P0.1.1', progress: 5 }), {
      message: 'the disk is full',
    })
    delete fault.error
  })
})

describeOnEngines('an escalation', (open) => {
  const start = async (w: Workspace) => {
    await run(w.service, planner, 'task_create', { id: 'P0.1.1', title: 'Package setup' })
    await run(w.service, claude, 'task_start', { id: 'P0.1.1' })
  }

  it('needs a pm, or a name to go to', async (t) => {
    const w = await open(t)
    await start(w)

    await assert.rejects(run(w.service, claude, 'task_escalate', EXAMPLE), {
      code: 'not_found',
      message:
        'nobody has the role pm; a person gives it with: baton agent add <name> --role pm, or name somebody with: --to <name>',
    })
    const { handoff } = await run<Escalated>(w.service, claude, 'task_escalate', { ...EXAMPLE, to: 'codex' })

    assert.equal(handoff.to, 'codex')
  })

  it('[S3-81] leaves the task with the agent that did the work, whatever becomes of the message', async (t) => {
    const w = await open(t)
    await start(w)
    await run(w.service, person('maria'), 'agent_add', { name: 'pm', roles: ['pm'] })

    const { handoff } = await run<Escalated>(w.service, claude, 'task_escalate', EXAMPLE)
    await run(w.service, by('pm'), 'handoff_accept', { id: handoff.id })
    await run(w.service, by('pm'), 'handoff_reject', { id: handoff.id, reason: 'no time' })

    const { task } = (await w.service.tasks.get('P0.1.1')).row
    assert.deepEqual([task.status, task.owner], ['in_progress', 'claude'])
  })

  it('asks a person for a decision, past the limits of the agent', async (t) => {
    const agents = {
      claude: { limits: { outgoing: 0 } },
      planner: {},
      maria: { kind: 'human', roles: ['pm'] },
    } as const
    const w = await open(t, { policy: { agents } })
    await start(w)

    const { handoff } = await run<Escalated>(w.service, claude, 'task_escalate', EXAMPLE)

    const sent = await w.store.handoff(handoff.id)
    assert.deepEqual([handoff.to, sent?.type, sent?.state], ['maria', 'escalation', 'needs_input'])
  })
})
