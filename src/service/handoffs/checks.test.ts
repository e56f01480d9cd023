import assert from 'node:assert/strict'
import { it } from 'node:test'
import { disclosed } from '../../../test/support/log/log.ts'
import { by, describeOnEngines, person, type Workspace } from '../../../test/support/program/workspace.ts'
import { recordIn } from '../../audit/entry.ts'
import type { Check, CheckResult } from '../../domain/handoffs/package.ts'
import type { Call } from '../deps.ts'

const planner = by('planner')
const codex = by('codex')
const maria = person('maria')
const checks: Check[] = [{ kind: 'command', command: 'npm test' }]
const NAME = 'command exits 0: "npm test"'
const NOWHERE = 'not run: there is no project'

async function begun({ service }: Workspace, more = {}) {
  const sent = await service.sending.send(planner, { to: 'codex', title: 'Limits', checks, ...more })
  const handoff = await service.receiving.accept(codex, sent.handoff.uid, {
    start: true,
    understood: 'Limits',
  })
  return { ...handoff, warnings: sent.warnings }
}

/** Who took the step, and the checks that the log keeps with it. */
const logged = async ({ service }: Workspace, uid: string, act: string) => {
  const entry = (await service.looking.get(uid)).timeline.findLast((each) => each.act === act)
  return { by: entry && recordIn(entry).actor.id, ...disclosed(entry ?? {}) } as Record<string, unknown>
}

describeOnEngines('a declared check', (open) => {
  it('that cannot run here is told to its sender and to whoever hands in', async (t) => {
    const w = await open(t)
    const { uid, warnings } = await begun(w)
    const draft = await w.service.sending.create(planner, { to: 'codex', title: 'More', checks })
    const sent = await w.service.sending.sendDraft(planner, draft.handoff.uid)

    const submitted = await w.service.receiving.submit(codex, uid, { note: 'done' })

    const message = `check ${NAME} cannot run here: there is no project; the work is completed where it runs, or a person waives it`
    for (const told of [warnings, draft.warnings, sent.warnings])
      assert.deepEqual(told, [{ code: 'check_not_run', message }])
    assert.deepEqual(submitted.checks, [{ name: NAME, detail: NOWHERE }])
  })

  it('proves nothing where it is handed in: the run of the verifier counts, and its place is logged', async (t) => {
    let outcome: CheckResult = { name: NAME, ok: true, where: 'laptop:shop' }
    const w = await open(t, { runChecks: async () => [outcome] })
    const { uid, warnings } = await begun(w)
    const submitted = await w.service.receiving.submit(codex, uid, { note: 'done' })
    assert.deepEqual([warnings, submitted.checks], [[], [outcome]])

    outcome = { name: NAME, ok: false, detail: 'exit code 1', where: 'ci:shop' }
    const failed = {
      code: 'unmet',
      message: `HO-2026-001 cannot be completed: check failed: ${NAME} (exit code 1)`,
    }
    await assert.rejects(w.service.closing.verify(planner, uid, { pass: true }), failed)
    await assert.rejects(w.service.closing.complete(planner, uid), failed)
    outcome = { name: NAME, ok: true, where: 'ci:shop' }
    await w.service.closing.verify(planner, uid, { pass: true })

    const { content } = await w.service.looking.get(uid)
    assert.deepEqual(content.result?.checks?.[0]?.where, 'laptop:shop')
    assert.deepEqual(
      content.verifications.map((each) => each.checks),
      [[outcome]],
    )
    const { by: who, checks: ran } = await logged(w, uid, 'handoff.verify_pass')
    assert.deepEqual([who, ran], ['planner', [outcome]])
  })

  for (const home of ['native', 'markdown', 'queue', 'block', 'writeback', 'package'] as const)
    it(`that has not run stops completion of ${home} work until a person waives it by name`, async (t) => {
      const w = await open(t)
      await w.service.agents.add(maria, { name: 'maria', kind: 'human' })
      const isFull = home === 'package' || home === 'markdown'
      const { uid, id } = await begun(w, {
        home,
        ...(isFull && { summary: 'Add limits to the service', task: 'BPRD-2026-0042' }),
        ...(home === 'package' && { deliverables: ['Middleware'], type: 'sequential' }),
      })
      const evidence = home === 'package' ? [{ deliverable: 'Middleware', evidence: 'src' }] : []
      const judges = home === 'native' || home === 'markdown'
      const submit = () => w.service.receiving.submit(codex, uid, { output: 1, evidence })
      if (judges) await submit()
      const verifier = home === 'markdown' ? by('perplexity') : planner
      const complete = () => (judges ? w.service.closing.verify(verifier, uid, { pass: true }) : submit())

      await assert.rejects(complete(), {
        code: 'unmet',
        message: `${id} cannot be completed${judges ? '' : ' yet'}: check ${NAME} was ${NOWHERE}; a person can waive it with: baton handoff waive ${id} "npm test"`,
      })
      await w.service.closing.waive(maria, uid, NAME)

      assert.equal((await complete()).state, 'completed')
      const { by: who, checks: names } = await logged(w, uid, 'handoff.waive')
      assert.deepEqual([who, names], ['maria', [NAME]])
    })

  it('is waived by a person who is not its receiver, by a name that it has, while the work is open', async (t) => {
    const w = await open(t)
    await w.service.agents.add(maria, { name: 'maria', kind: 'human' })
    const { uid } = await begun(w)
    const { handoff: own } = await w.service.sending.send(planner, { to: 'maria', title: 'Look', checks })

    await assert.rejects(w.service.closing.waive(planner, uid, NAME), {
      code: 'not_allowed',
      message: 'only a person can waive a check, and planner is not one',
    })
    await assert.rejects(w.service.closing.waive(maria, own.uid, NAME), {
      code: 'not_allowed',
      message: 'maria may not waive a check of HO-2026-002; its receiver is judged by it',
    })
    await assert.rejects(w.service.closing.waive(maria, uid, 'npm'), {
      code: 'invalid_input',
      message: `HO-2026-001 has no check "npm"; its checks: ${NAME}`,
    })
    await w.service.closing.waive(maria, uid, 'npm test')
    await w.service.receiving.submit(codex, uid, { note: 'done' })
    await w.service.closing.verify(planner, uid, { pass: true })
    await assert.rejects(w.service.closing.waive(maria, uid, NAME), { code: 'wrong_state' })
  })

  it('[T5] runs for nobody who may not take the step, whatever the state of the work', async (t) => {
    let ran = 0
    const outcome: CheckResult = { name: NAME, ok: true, where: 'laptop:shop' }
    const w = await open(t, {
      runChecks: async (_, result) => {
        if (result) ran += 1
        return [result ? outcome : { name: NAME }]
      },
    })
    const { receiving, closing, sending } = w.service
    const mallory = by('mallory')
    const { uid } = (await sending.send(planner, { to: 'codex', title: 'Limits', checks })).handoff
    const tried = async (...callers: readonly Call[]): Promise<void> => {
      for (const call of callers) {
        await assert.rejects(closing.verify(call, uid, { pass: true }), isRefused)
        await assert.rejects(closing.complete(call, uid), isRefused)
      }
      await assert.rejects(receiving.submit(mallory, uid, { note: 'Mine' }), isRefused)
    }
    await tried(mallory, codex)
    await receiving.accept(codex, uid)
    await tried(mallory, codex)
    assert.equal(ran, 0)

    const twice = { ...codex, key: 'a' }
    const submitted = await receiving.submit(twice, uid, { note: 'Done' })
    assert.deepEqual(await receiving.submit(twice, uid, { note: 'Done' }), submitted)
    await tried(mallory, codex)
    const ranBefore = ran
    await closing.verify({ ...planner, key: 'b' }, uid, { pass: true })
    const again = await closing.verify({ ...planner, key: 'b' }, uid, { pass: true })
    await tried(mallory, codex)

    assert.equal(again.state, 'completed')
    assert.equal(ran - ranBefore, 1)
  })

  it('of work that its receiver completes runs once, also when the call is repeated', async (t) => {
    let ran = 0
    const runChecks = async () => [{ name: NAME, ok: true, where: `run ${ran++}` }]
    const w = await open(t, { runChecks })
    const { uid } = await begun(w, { home: 'queue' })
    ran = 0

    const call = { ...codex, key: 'a' }
    const first = await w.service.receiving.submit(call, uid, { output: 1 })
    const second = await w.service.receiving.submit(call, uid, { output: 1 })

    assert.deepEqual([second, ran], [first, 1])
    assert.equal(first.checks?.[0]?.where, 'run 0')
  })
})

const isRefused = ({ code }: { readonly code?: string }): boolean =>
  code === 'not_allowed' || code === 'wrong_state'
