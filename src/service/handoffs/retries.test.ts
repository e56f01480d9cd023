import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { by, describeOnEngines, START, type Workspace } from '../../../test/support/program/workspace.ts'
import { SECOND_MS } from '../../domain/handoffs/deadlines.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import { createCheckRunner } from './acceptance.ts'

const orchestrator = by('frontend-specialist')
const react = by('react-specialist')

const request = async ({ service }: Workspace, more = {}) =>
  (
    await service.sending.send(orchestrator, {
      to: 'react-specialist',
      title: 'Build the components',
      home: 'queue',
      ...more,
    })
  ).handoff
const fail = ({ service }: Workspace, { uid }: Handoff, more = {}) =>
  service.receiving.fail(react, uid, { message: 'the compiler crashed', ...more })
const stateOf = async ({ store }: Workspace, { uid }: Handoff) => (await store.handoff(uid))?.state

describeOnEngines('failed work of the queue', (open) => {
  it('[S1-103] [S1-104] [S1-105] is tried 4 times: at once and after 30, 60 and 120 seconds', async (t) => {
    const w = await open(t)
    const handoff = await request(w)
    const seen: string[] = []

    for (let attempt = 1; attempt <= 4; attempt += 1) {
      const taken = await w.service.receiving.claim(react)
      const failed = await fail(w, handoff)
      const wait = failed.not_before && Date.parse(failed.not_before) - w.clock.now().getTime()
      seen.push(`attempt ${taken?.attempt}, then ${failed.state} ${Number(wait ?? 0) / SECOND_MS}`)
      if (wait === undefined) break
      w.clock.pass(Number(wait) - 1)
      assert.equal(await w.service.receiving.claim(react), undefined, 'not a millisecond too early')
      w.clock.pass(1)
    }

    assert.deepEqual(seen, [
      'attempt 1, then retry_wait 30',
      'attempt 2, then retry_wait 60',
      'attempt 3, then retry_wait 120',
      'attempt 4, then failed 0',
    ])
  })

  it('[S1-106] [S1-107] says how often it was tried, from the first failure to the last', async (t) => {
    const w = await open(t)
    const handoff = await request(w)
    await w.service.receiving.claim(react)
    const first = await fail(w, handoff)
    for (let attempt = 2; attempt <= 4; attempt += 1) {
      w.clock.pass(120 * SECOND_MS)
      await w.service.receiving.claim(react)
      await fail(w, handoff)
    }

    const last = await w.store.handoff(handoff.uid)

    assert.equal(first.attempt - 1, 0)
    assert.deepEqual([last?.state, (last?.attempt ?? 0) - 1, last?.retry?.max], ['failed', 3, 3])
    assert.deepEqual(
      last?.attempts.map(({ attempt, outcome, error }) => `${attempt} ${outcome} ${error?.message}`),
      [
        '1 retry_wait the compiler crashed',
        '2 retry_wait the compiler crashed',
        '3 retry_wait the compiler crashed',
        '4 failed the compiler crashed',
      ],
    )
  })

  it('[S1-97] is a PROCESSING_ERROR where the worker names no code, with the advice of the document', async (t) => {
    const w = await open(t)
    const handoff = await request(w)
    await w.service.receiving.claim(react)

    const failed = await fail(w, handoff)

    assert.deepEqual(failed.error, {
      code: 'PROCESSING_ERROR',
      message: 'the compiler crashed',
      severity: 'error',
      recovery_actions: ['Check logs, retry'],
    })
  })

  it('[S1-96] [S1-99] [S1-100] waits for its sender where the same would fail again', async (t) => {
    const advice: Readonly<Record<string, string>> = {
      SCHEMA_VALIDATION_FAILED: 'Fix input, retry',
      DEPENDENCY_MISSING: 'Generate dependency first',
      VALIDATION_FAILED: 'Fix implementation',
    }
    for (const [code, action] of Object.entries(advice)) {
      const w = await open(t)
      const handoff = await request(w)
      await w.service.receiving.claim(react)

      const failed = await fail(w, handoff, { code })

      assert.equal(failed.state, 'failed', code)
      assert.deepEqual(failed.error?.recovery_actions, [action], code)
      assert.equal((await w.service.receiving.retry(orchestrator, handoff.uid)).state, 'offered', code)
    }
  })

  it('[S1-101] [S1-102] keeps a foreign code, its details and the advice of the worker', async (t) => {
    const w = await open(t)
    const handoff = await request(w)
    await w.service.receiving.claim(react)
    const details = [{ field: 'props.userId', error: 'missing' }]

    const failed = await fail(w, handoff, {
      code: 'OUT_OF_MEMORY',
      details,
      recovery_actions: ['Buy more'],
    })

    assert.equal(failed.state, 'failed')
    assert.deepEqual(
      [failed.error?.code, failed.error?.details, failed.error?.recovery_actions],
      ['OUT_OF_MEMORY', details, ['Buy more']],
    )
  })

  it('[S1-98] is a TIMEOUT where the worker fell silent, and is tried again by itself', async (t) => {
    const w = await open(t)
    const handoff = await request(w, { timeout_s: 60 })
    await w.service.receiving.claim(react)
    w.clock.pass(60 * SECOND_MS)
    await w.service.settle()
    const lapsed = await w.store.handoff(handoff.uid)
    w.clock.pass(30 * SECOND_MS)
    await w.service.settle()

    assert.deepEqual(
      [lapsed?.state, lapsed?.error?.code, lapsed?.error?.recovery_actions],
      ['retry_wait', 'TIMEOUT', ['Increase timeout, retry']],
    )
    assert.equal(await stateOf(w, handoff), 'offered')
  })

  it('[S1-108] comes back under the same id with one try more and without the old failure', async (t) => {
    const w = await open(t)
    const handoff = await request(w)
    await w.service.receiving.claim(react)
    await fail(w, handoff, { code: 'VALIDATION_FAILED' })

    const again = await w.service.receiving.retry(orchestrator, handoff.uid)

    assert.deepEqual(
      [again.id, again.uid, again.state, again.attempt - 1],
      [handoff.id, handoff.uid, 'offered', 1],
    )
    for (const field of ['error', 'started_at', 'accepted_at', 'accepted_by', 'ended_at', 'not_before'])
      assert.equal(field in again, false, field)
    assert.equal(again.attempts[0]?.error?.code, 'VALIDATION_FAILED')
  })

  it('[S1-108] that then succeeds shows nothing of the failure but in its history', async (t) => {
    const w = await open(t)
    const handoff = await request(w)
    await w.service.receiving.claim(react)
    await fail(w, handoff)
    w.clock.pass(30 * SECOND_MS)
    await w.service.receiving.claim(react)

    const done = await w.service.receiving.submit(react, handoff.uid, { output: {} })

    assert.equal(done.error, undefined)
    assert.deepEqual(
      done.attempts.map(({ outcome, error }) => `${outcome} ${error?.code}`),
      ['retry_wait PROCESSING_ERROR', 'completed undefined'],
    )
  })

  it('is retried early by its sender, and by nobody else', async (t) => {
    const w = await open(t)
    const handoff = await request(w)
    await w.service.receiving.claim(react)
    await fail(w, handoff)

    await assert.rejects(w.service.receiving.retry(react, handoff.uid), { code: 'not_allowed' })
    const again = await w.service.receiving.retry(orchestrator, handoff.uid)

    assert.deepEqual([again.state, again.updated_at], ['offered', START])
  })

  it('[S1-105] [S1-106] is not retried beyond max_retries, whoever asks', async (t) => {
    const w = await open(t)
    const none = await request(w, { retry: { max: 0, delay_s: 1, multiplier: 1 } })
    const once = await request(w, { retry: { max: 1, delay_s: 5, multiplier: 1 } })
    for (const { uid } of [none, once]) await w.service.receiving.accept(react, uid)
    for (const handoff of [none, once]) await fail(w, handoff)
    await w.service.receiving.retry(orchestrator, once.uid)
    await w.service.receiving.accept(react, once.uid)
    await fail(w, once)

    for (const [{ uid, id }, max] of [
      [none, 0],
      [once, 1],
    ] as const)
      await assert.rejects(w.service.receiving.retry(orchestrator, uid), {
        code: 'wrong_state',
        message: `all ${max} retries of ${id} are used; send the work as a new handoff`,
      })
    await assert.rejects(w.service.receiving.retry(react, once.uid), { code: 'not_allowed' })
    assert.deepEqual([await stateOf(w, none), await stateOf(w, once)], ['failed', 'failed'])
  })

  it('follows the policy that the request brings', async (t) => {
    const w = await open(t)
    const handoff = await request(w, { retry: { max: 1, delay_s: 5, multiplier: 1 } })
    await w.service.receiving.claim(react)
    const first = await fail(w, handoff)
    w.clock.pass(5 * SECOND_MS)
    await w.service.receiving.claim(react)

    const second = await fail(w, handoff)

    assert.deepEqual([first.not_before, second.state], ['2026-02-21T14:30:05.000Z', 'failed'])
  })
})

describeOnEngines('native work that fails', (open) => {
  it('is final where nobody gave a retry rule, and tried again where somebody did', async (t) => {
    const w = await open(t)
    const plain = await request(w, { home: 'native' })
    const patient = await request(w, { home: 'native', retry: { max: 1, delay_s: 10, multiplier: 2 } })
    for (const { uid } of [plain, patient]) await w.service.receiving.accept(react, uid)

    assert.equal((await fail(w, plain)).state, 'failed')
    assert.equal((await fail(w, patient)).state, 'retry_wait')
  })

  it('is final when the receiver gives up on what blocks it', async (t) => {
    const w = await open(t)
    const handoff = await request(w, { home: 'native', retry: { max: 3, delay_s: 10, multiplier: 2 } })
    await w.service.receiving.accept(react, handoff.uid)
    const blocked = await w.service.receiving.heartbeat(react, handoff.uid, { blocked: 'no database' })

    assert.deepEqual([blocked.state, blocked.blocked_on], ['blocked', 'no database'])
    assert.equal((await fail(w, handoff)).state, 'failed')
  })

  it('cannot fail before it was begun, nor by another than its receiver', async (t) => {
    const w = await open(t)
    const handoff = await request(w, { home: 'native' })

    await assert.rejects(fail(w, handoff), { code: 'wrong_state' })
    await w.service.receiving.accept(react, handoff.uid)
    await assert.rejects(w.service.receiving.fail(by('gemini'), handoff.uid, { message: 'broken' }), {
      code: 'not_allowed',
    })
  })
})

describeOnEngines('picking up from the queue', (open) => {
  const project = () => {
    const root = mkdtempSync(join(tmpdir(), 'baton-project-'))
    mkdirSync(join(root, 'artifacts'))
    writeFileSync(join(root, 'artifacts', 'tech-stack.json'), '{}')
    return { root, runChecks: createCheckRunner({ root, commands: [] }) }
  }
  const needs = (path: string) => ({ artifacts: [{ path, role: 'input' as const }] })

  it('[S1-109] fails with DEPENDENCY_MISSING where what the work builds on is not there', async (t) => {
    const { root, runChecks } = project()
    t.after(() => rmSync(root, { recursive: true }))
    const w = await open(t, { runChecks })
    await request(w, needs('artifacts/nothing.json'))

    const claimed = await w.service.receiving.claim(react)

    assert.deepEqual(
      [claimed?.state, claimed?.error?.code, claimed?.error?.message],
      ['failed', 'DEPENDENCY_MISSING', 'Required artifact not found: artifacts/nothing.json'],
    )
    assert.deepEqual(claimed?.error?.recovery_actions, ['Generate dependency first'])
  })

  it('[S1-109] goes on where the store keeps what the work builds on, and not where it keeps something else', async (t) => {
    const { root, runChecks } = project()
    t.after(() => rmSync(root, { recursive: true }))
    const w = await open(t, { runChecks })
    const path = 'artifacts/plan/run-1.log'
    const kept = await w.service.artifacts.put(react, { path, bytes: Buffer.from('The plan') })
    const states: (string | undefined)[] = []
    for (const sha256 of [kept.sha256!, 'f'.repeat(64)]) {
      await request(w, { artifacts: [{ path, role: 'input', sha256 }] })
      states.push((await w.service.receiving.claim(react))?.state)
    }

    assert.deepEqual(states, ['in_progress', 'failed'])
  })

  it('[S1-109] goes on where it is there, and where nobody can look', async (t) => {
    const { root, runChecks } = project()
    t.after(() => rmSync(root, { recursive: true }))
    const near = await open(t, { runChecks })
    const far = await open(t)
    const there = await request(near, needs('artifacts/tech-stack.json'))
    await request(far, needs('artifacts/nothing.json'))

    assert.equal((await near.service.receiving.accept(react, there.uid)).state, 'in_progress')
    assert.equal((await far.service.receiving.claim(react))?.state, 'in_progress')
  })
})
