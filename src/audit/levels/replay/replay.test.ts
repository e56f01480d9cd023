import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { exported, LogWriter, logOf, memoryFiles } from '../../../../test/support/log/export-log.ts'
import { NODE_PLATFORM, platformSha256 } from '../../../archive/audit-platform.ts'
import { TRANSITIONS } from '../../../domain/lifecycle.ts'
import type { AuditRecord } from '../../entry.ts'
import { rootOfLeaves } from '../../merkle.ts'
import { verifyExport } from '../index.ts'
import { HANDOFF_STEPS } from './replay.ts'

type Said = Parameters<LogWriter['add']>[1]

const HANDOFF = '018f3c00-0000-7000-8000-000000000001'
const TASK = '018f3c00-0000-7000-9000-000000000001'
const SESSION = '018f3c00-0000-7000-a000-000000000001'

const handoff = (rev: number, act: string, from?: string, to?: string): Said => ({
  act,
  sub: { id: HANDOFF, k: 'handoff', rev },
  ...(from !== undefined && { from }),
  ...(to !== undefined && { to }),
})
const task = (rev: number, act: string, to: string): Said => ({ act, sub: { id: 'P1', k: 'task', rev }, to })

async function replayed(...steps: readonly (readonly [stream: string, said: Said])[]) {
  const log = new LogWriter()
  for (const [stream, said] of steps) log.add(stream, said)
  return judged(log)
}

async function judged(log: LogWriter) {
  const found = await verifyExport(memoryFiles(await exported(logOf(log.entries))), NODE_PLATFORM)
  assert.equal(found.levels[0]?.verdict, 'ok', 'only the replay may find something')
  const { verdict, summary, first_bad } = found.levels[6]!
  return { verdict, summary, entry: first_bad?.entry }
}

const OFFERED = [HANDOFF, handoff(1, 'handoff.send', 'draft', 'offered')] as const
const ACCEPTED = [HANDOFF, handoff(2, 'handoff.accept', 'offered', 'in_progress')] as const
const CREATED = [TASK, task(1, 'task.create', 'todo')] as const
const STARTED = [TASK, task(2, 'task.start', 'in_progress')] as const
const RECORDED = [TASK, task(3, 'thought_record', 'in_progress')] as const
const DONE = [TASK, task(4, 'task.done', 'done')] as const

describe('the rules that the replay knows', () => {
  /** Commands that the log calls by another name, or by several. */
  const NAMES: Readonly<Record<string, readonly string[]>> = {
    claim: ['handoff.accept', 'handoff.revive'],
    retry_in_place: ['handoff.revive'],
    ask: ['handoff.ask', 'handoff.accept_partial'],
    approve: ['gate.approve'],
    question: ['gate.question'],
    decline: ['gate.reject'],
    refuse: ['handoff.verify_fail'],
    complete: ['handoff.complete', 'handoff.verify_pass', 'handoff.submit'],
  }

  it('are those of the lifecycle, no more and no fewer', () => {
    const expected = TRANSITIONS.flatMap(({ command, from, to }) =>
      (NAMES[command] ?? [`handoff.${command}`]).map((act) => `${act}: ${from}>${to}`),
    )
    const known = Object.entries(HANDOFF_STEPS).flatMap(([act, steps]) =>
      steps.map((step) => `${act}: ${step}`),
    )

    assert.deepEqual([...new Set(known)].sort(), [...new Set(expected)].sort())
  })
})

describe('a replay of the log', () => {
  it('follows a handoff and a task to their ends', async () => {
    const { verdict } = await replayed(OFFERED, ACCEPTED, CREATED, STARTED, RECORDED, DONE)

    assert.equal(verdict, 'ok')
  })

  it('follows a handoff of which a file was refused, now or in an earlier revision', async () => {
    const refused = (rev: number) => [HANDOFF, handoff(rev, 'file.refused')] as const

    const { verdict } = await replayed(OFFERED, refused(1), ACCEPTED, refused(2), refused(1))
    const ahead = await replayed(OFFERED, refused(2), ACCEPTED)
    const alone = await replayed(refused(1))

    assert.equal(verdict, 'ok')
    assert.match(ahead.summary, /revision 2 of handoff .* 3 is next/)
    assert.match(alone.summary, /begins with file.refused, and no handoff does/)
  })

  it('[S3-38] finds a second acceptance of the same attempt', async () => {
    const again = [HANDOFF, handoff(3, 'handoff.accept', 'offered', 'in_progress')] as const

    const { verdict, entry, summary } = await replayed(OFFERED, ACCEPTED, again)

    assert.deepEqual([verdict, entry], ['failed', 2])
    assert.match(summary, /is in_progress, and it says offered/)
  })

  it('finds steps that no rule allows, gaps in revisions and beginnings in the middle', async () => {
    for (const [steps, reason] of [
      [[OFFERED, [HANDOFF, handoff(2, 'handoff.complete', 'offered', 'completed')]], /no such step/],
      [[OFFERED, [HANDOFF, handoff(2, 'made.up', 'offered', 'completed')]], /no such step/],
      [
        [OFFERED, [HANDOFF, handoff(3, 'handoff.accept', 'offered', 'in_progress')]],
        /revision 3 of handoff .* 2 is next/,
      ],
      [[[HANDOFF, handoff(1, 'handoff.accept', 'offered', 'accepted')]], /no handoff does/],
      [[OFFERED, [HANDOFF, handoff(2, 'handoff.heartbeat')]], /a heartbeat of handoff/],
      [[CREATED, [TASK, task(2, 'task.create', 'todo')]], /created twice/],
      [[[TASK, task(1, 'task.start', 'in_progress')]], /begins with task.start/],
    ] as const) {
      const { verdict, summary } = await replayed(...(steps as readonly (readonly [string, Said])[]))
      assert.equal(verdict, 'failed')
      assert.match(summary, reason)
    }
  })

  it('finds a task that is done without a record of the same period of work', async () => {
    const done = (rev: number) => [TASK, task(rev, 'task.done', 'done')] as const
    const reopened = [TASK, task(5, 'task.reopen', 'in_progress')] as const
    for (const [steps, entry] of [
      [[CREATED, STARTED, done(3)], 2],
      [[CREATED, STARTED, RECORDED, DONE, reopened, done(6)], 5],
      [[CREATED, STARTED, RECORDED, DONE, [TASK, task(5, 'task.reinstate', 'todo')], done(6)], 5],
      [[CREATED, STARTED, [TASK, task(3, 'task.completed', 'done')]], 2],
      [[CREATED, STARTED, [TASK, task(3, 'task.update', 'done')]], 2],
      [[CREATED, STARTED, RECORDED, DONE, [TASK, task(5, 'task.update', 'in_progress')]], 4],
    ] as const) {
      const found = await replayed(...(steps as readonly (readonly [string, Said])[]))
      assert.deepEqual([found.verdict, found.entry], ['failed', entry], found.summary)
    }
  })

  describe('of an audit session', () => {
    const session = (rev: number, act: string, more: Partial<AuditRecord> = {}): Said => ({
      act,
      sub: { id: SESSION, k: 'session', rev },
      ...more,
    })

    function sealed(change: (seal: { n: number; root: string }) => { n: number; root: string }): LogWriter {
      const log = new LogWriter()
      log.add(SESSION, session(1, 'audit_session_start', { to: 'open' }))
      log.add(...CREATED)
      log.add(TASK, { ...task(2, 'task.start', 'in_progress'), by: 'codex' })
      log.add(...RECORDED)
      const own = [0, 1, 3].map((i) => log.leaves[i]!)
      const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
      const cp = { size: 4, root: text(log.tree.root()) }
      // Written after the size that the seal speaks of: it is not part of the session.
      log.add(...DONE)
      const seal = change({ n: 3, root: text(rootOfLeaves(platformSha256, own)) })
      log.add(SESSION, session(2, 'session.seal', { cp, seal, from: 'open', to: 'sealed' }))
      return log
    }

    it('counts the entries of its actor and hashes them again', async () => {
      assert.equal((await judged(sealed((seal) => seal))).verdict, 'ok')
      assert.match(
        (await judged(sealed((seal) => ({ ...seal, n: 4 })))).summary,
        /seals 4 entries, and the session has 3/,
      )
      const root = Buffer.alloc(32, 1).toString('base64')
      assert.match((await judged(sealed((seal) => ({ ...seal, root })))).summary, /not that of the session/)
    })

    it('lets nothing follow a seal, and no seal stand without a start', async () => {
      const log = sealed((seal) => seal)
      log.add(SESSION, session(3, 'session.note'))
      assert.match((await judged(log)).summary, /was sealed before/)

      const { summary } = await replayed([SESSION, session(1, 'session.seal')])
      assert.match(summary, /never begun/)
    })
  })
})
