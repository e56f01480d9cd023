import assert from 'node:assert/strict'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { ask, quick, refusal } from '../support/program/command.ts'
import { filesBelow, type OlderWorkspace, openOlder, trustOlder } from '../support/program/older-workspace.ts'
import { ENGINES } from '../support/program/workspace.ts'
import { get, post } from '../support/servers/http-workspace.ts'
import { startServer } from '../support/servers/servers.ts'

/** Overdue by now: the state in which 0.1.0 left them, and the one in which they are found. */
const OVERDUE: Readonly<Record<string, readonly [left: string, found: string]>> = {
  overdue_offer: ['offered', 'expired'],
  overdue_lease: ['in_progress', 'failed'],
  overdue_retry: ['retry_wait', 'offered'],
}

interface Shown {
  readonly handoff: { readonly id: string; readonly state: string }
}

interface Status {
  readonly handoffs: Readonly<Record<string, number>>
  readonly tasks: unknown
  readonly agents: Readonly<Record<string, { readonly outgoing: number; readonly incoming: number }>>
}

const UNDERSTOOD = ['--understood', 'Limit the public API to 100 requests a minute']
const PROOF = 'Middleware in src/=src/limit.ts'
const NATIVE = ['--to', 'codex', '--summary', 'The API needs limits before launch']
const NEW = [...NATIVE, '--title', 'Somebody takes this in time']
/** Word for word what 0.1.0 was asked with this key. */
const ONCE = [
  ...[...NATIVE, '--title', 'Handed in', '--deliverable', 'Middleware in src/'],
  ...['--criterion', 'npm test passes', '--key', 'once-1'],
]
const RECORD = [
  ...['--branch', 'feature/p0-1-2-linter', '--commit-sha', 'def456789abcdef456789abcdef456789abcdef4'],
  ...['--test', 'lint.test.ts', '--file', 'eslint.config.js'],
  ...['--summary', 'The linter is set up. It passes. Nothing else was touched.'],
]

/** The next step of each open handoff: who takes it, and the state that it leads to. */
// biome-ignore format: read as a table
const STEPS: readonly (readonly [name: string, as: string, to: string, ...command: readonly string[]])[] = [
  ['draft',                 'planner',          'offered',     'send', '@'],
  ['in_review',             'planner',          'completed',   'verify', '@', '--pass'],
  ['needs_input',           'planner',          'offered',     'answer', '@', 'Only /v1 is public'],
  ['failed',                'planner',          'offered',     'handoff', 'retry', '@'],
  ['overdue_retry',         'codex',            'in_progress', 'accept', '@'],
  ['package_offered',       'codex',            'in_progress', 'accept', '@', ...UNDERSTOOD],
  ['package_accepted',      'codex',            'completed',   'submit', '@', '--evidence', PROOF],
  ['package_in_progress',   'codex',            'completed',   'submit', '@', '--evidence', PROOF],
  ['package_blocked',       'codex',            'in_progress', 'handoff', 'heartbeat', '@', '--no-blocked'],
  ['markdown_draft',        'planner',          'offered',     'send', '@'],
  ['markdown_active',       'claude',           'accepted',    'accept', '@', '--notes', 'Read and understood'],
  ['markdown_acknowledged', 'claude',           'in_review',   'submit', '@', '--evidence', 'Middleware=src/limit.ts'],
  ['queue_pending',         'react-specialist', 'in_progress', 'accept', '@'],
  ['queue_in_progress',     'maria',            'completed',   'submit', '@', '--output', '{"result":{"colours":3}}'],
  ['queue_foreign',         'react-specialist', 'in_progress', 'accept', '@'],
  ['queue_failed',          'planner',          'offered',     'handoff', 'retry', '@'],
]

/** Agents that 0.1.0 knew from baton.yaml alone: they count as added when they are listed. */
const ONLY_LISTED = ['gemini', 'perplexity', 'pm']

for (const engine of ENGINES)
  describe(`a workspace of 0.1.0, on ${engine}`, () => {
    it('is answered for as 0.1.0 did, but for what is overdue', async (t) => {
      const older = await openOlder(t, '0.1.0', engine)
      trustOlder(older)
      const overdue = Object.keys(OVERDUE).map((name) => older.ids[name]!)
      await ask(older.where, 'handoff', 'list', '--as', 'maria')

      for (const said of older.answers) {
        const now = await ask(older.where, ...said.args, '--as', said.as)
        if (said.args[0] === 'status')
          sameButOverdue(now as unknown as Status, said.answer as unknown as Status)
        else if (!overdue.includes(said.args[1]!))
          assert.deepEqual(comparable(now, overdue), comparable(said.answer, overdue), said.args.join(' '))
      }
      for (const [name, states] of Object.entries(OVERDUE)) {
        const left = older.answers.find(({ args }) => args[1] === older.ids[name])?.answer as unknown as Shown
        assert.deepEqual([left.handoff.state, await stateOf(older, older.ids[name]!)], states, name)
      }
      await isHealthy(older)
    })

    it('goes on with every open gate, handoff, run, task and session', async (t) => {
      const older = await openOlder(t, '0.1.0', engine)
      const { where, ids, secrets } = older
      trustOlder(older)
      const server = await startServer(t, where, '--as', 'maria')
      const decide = async (id: string, choice: string, who = 'maria') =>
        (await fetch(`${server.url}/v1/gates/${id}/decide`, post(secrets[who]!, { choice }))).status
      const listed = async (who: string) =>
        (await fetch(`${server.url}/v1/handoffs`, get(secrets[who]!))).status

      assert.deepEqual(
        [await listed('codex'), await listed('claude')],
        [200, 401],
        'claude has a revoked token',
      )
      assert.equal(await decide(ids.gate_open!, 'approve', 'codex'), 403)
      assert.equal(await decide(ids.gate_open!, 'approve'), 200)
      assert.equal(await decide(ids.escalation!, 'B'), 200)
      assert.equal(await decide(`${ids.run}.notes.gate`, 'approve'), 200)
      // The work behind a gate that was rejected is mended, and its gate passed again.
      const again = ['--type', 'gate', '--gate', 'gate-rejected', '--parent', ids.package_in_progress!]
      const { handoff } = await ask<Shown>(
        where,
        'send',
        '--to',
        'maria',
        '--title',
        'Look again',
        ...again,
        '--as',
        'codex',
      )
      assert.equal(await decide(handoff.id, 'approve'), 200)
      const led = new Map<string, string>()
      for (const [name, as, to, ...command] of STEPS) {
        const id = ids[name]
        if (id === undefined) continue
        await ask(where, ...command.map((word) => (word === '@' ? id : word)), '--as', as)
        led.set(id, to)
      }
      const { items: now } = await ask<{ items: Shown['handoff'][] }>(
        where,
        'handoff',
        'list',
        '--limit',
        '100',
      )
      const states = new Map(now.map(({ id, state }) => [id, state]))
      for (const [id, to] of led) assert.equal(states.get(id), to, id)

      await ask(where, 'accept', `${ids.package_redacted}-R`, '--as', 'planner', ...UNDERSTOOD)
      const renewed = await ask<Shown>(where, 'send', ...NEW, '--supersedes', ids.expired!, '--as', 'planner')
      const repeated = await ask<Shown>(where, 'send', ...ONCE, '--as', 'planner')
      assert.deepEqual([renewed.handoff.state, repeated.handoff.id], ['offered', ids.in_review])
      await ask(where, 'accept', `${ids.run}.publish`, '--as', 'codex', ...UNDERSTOOD)
      await ask(
        where,
        'submit',
        `${ids.run}.publish`,
        '--as',
        'codex',
        '--evidence',
        'The package on the registry=1.0.0',
      )
      assert.equal((await ask(where, 'workflow', 'status', ids.run!)).state, 'completed')
      await ask(where, 'task', 'complete', 'P0.1.2', ...RECORD, '--as', 'codex')
      const { items } = await ask<{ items: { id: string }[] }>(where, 'next', '--as', 'codex')
      assert.ok(items.some(({ id }) => id === 'P0.1.3'))
      await ask(where, 'merkle', 'finalize', '--as', 'codex')
      const sessions = await ask<{ items: { state: string }[] }>(where, 'audit', 'sessions')
      assert.deepEqual(
        sessions.items.map(({ state }) => state),
        ['sealed', 'sealed'],
      )
      await isHealthy(older)
    })

    it('is ruled by its baton.yaml', async (t) => {
      const { where } = await openOlder(t, '0.1.0', engine)
      const send = (as: string, to: string) => ['send', '--as', as, '--to', to, '--title', 'A report']

      const { handoff } = await ask<{ handoff: { sent_at: string; ack_deadline: string } }>(
        where,
        ...send('gemini', 'planner'),
      )
      const second = await refusal(where, ...send('gemini', 'planner'))
      const elsewhere = await refusal(where, ...send('gemini', 'codex'))
      const stranger = await refusal(where, ...send('planner', 'grok'))

      assert.equal(Date.parse(handoff.ack_deadline) - Date.parse(handoff.sent_at), 600_000)
      assert.deepEqual(
        [second.code, elsewhere.code, stranger.code],
        ['limit_exceeded', 'not_allowed', 'not_found'],
      )
    })
  })

describe('the live folders of 0.1.0', () => {
  it('are kept byte by byte, and what is written there from now on is taken in', async (t) => {
    const older = await openOlder(t, '0.1.0', 'sqlite')
    const { where, root, ids } = older
    const sync = () => ask<{ happened: unknown[] }>(where, 'folders', 'sync', '--as', 'maria')
    const before = filesBelow(root)

    assert.deepEqual((await sync()).happened, [])
    assert.deepEqual(filesBelow(root), before)

    const active = join(root, `_handoffs/active/${ids.markdown_active}.md`)
    const text = readFileSync(active, 'utf8')
    const acknowledged = text
      .replace('status: Active', 'status: Acknowledged')
      .replace('acknowledged_by: null', 'acknowledged_by: claude')
    writeFileSync(active, acknowledged.replace('acknowledgment_notes: null', 'acknowledgment_notes: By hand'))
    const pending = `queue/handoffs/pending/${ids.queue_foreign}.json`
    renameSync(join(root, pending), join(root, pending.replace('pending', 'in-progress')))
    await sync()

    assert.equal(await stateOf(older, ids.markdown_active!), 'accepted')
    assert.equal(await stateOf(older, ids.queue_foreign!), 'in_progress')
    await ask(
      where,
      'submit',
      ids.markdown_edited!,
      '--as',
      'claude',
      '--evidence',
      'Middleware=src/limit.ts',
    )
    const edited = readFileSync(join(root, `_handoffs/active/${ids.markdown_edited}.md`), 'utf8')
    assert.match(edited, /\n# The ticket is waiting for this\.\nticket: SHOP-17\n/)
    assert.match(edited, /src\/limit\.ts/)
    assert.match(edited, /\nx_baton:\n {2}uid: .*\n {2}rev: 3\n/)
    const { stdout, code } = await quick(where, 'folders', 'doctor', '--as', 'maria')
    assert.equal(code, 0, stdout)
  })
})

describe('the live folders of 0.1.0 without what Baton remembered of them', () => {
  it('are known again by what stands in the files', async (t) => {
    const { where, root } = await openOlder(t, '0.1.0', 'sqlite')
    const before = filesBelow(root)
    rmSync(join(root, '.baton/folders.db'))

    const { happened } = await ask<{ happened: unknown[] }>(where, 'folders', 'sync', '--as', 'maria')

    assert.deepEqual(happened, [])
    assert.deepEqual(filesBelow(root), before)
  })
})

async function stateOf({ where }: OlderWorkspace, id: string): Promise<string> {
  return (await ask<Shown>(where, 'show', id)).handoff.state
}

/** Fields that 0.1.0 did not have: what the caller may do, the way above, the files, the work behind a gate, steps at gates. */
const NOT_TOLD = ['may', 'path', 'files', 'about', 'also', 'at_gates']

/** An answer without what is overdue. */
function comparable(answer: Record<string, unknown>, overdue: readonly string[]): unknown {
  const kept: Record<string, unknown> = { ...answer }
  for (const field of NOT_TOLD) delete kept[field]
  // 0.1.0 told no reasons in the timeline.
  if (Array.isArray(kept.untrusted))
    kept.untrusted = kept.untrusted.filter((name) => ![...NOT_TOLD, 'timeline'].includes(name))
  if (Array.isArray(kept.timeline)) kept.timeline = kept.timeline.map(({ why: _, ...entry }) => entry)
  // 0.1.0 did not say that a list shows only a part of a gate.
  if (Array.isArray(kept.gates)) kept.gates = kept.gates.map(({ cut: _, ...gate }) => gate)
  // 0.1.0 did not say how long each step took.
  if (Array.isArray(kept.steps))
    kept.steps = kept.steps.map(({ started_at: _, ended_at: __, ...step }) => step)
  // 0.1.0 told only of the tasks to start which one is critical.
  if (kept.task) kept.task = { ...kept.task, critical: undefined }
  for (const list of ['items', 'notices'])
    if (Array.isArray(kept[list]))
      kept[list] = kept[list]
        .filter(({ id, about_id }) => !overdue.includes(id) && !overdue.includes(about_id))
        .map((item) => (ONLY_LISTED.includes(item.name) ? { ...item, created_at: undefined } : item))
        // 0.1.0 listed its agents without the limits that it enforced.
        .map((item) => ('capabilities' in item ? { ...item, limits: undefined } : item))
        .map(({ at_gates: _, ...item }) => item)
  return kept
}

/** One offer expired, one attempt failed, and one handoff is offered again. */
function sameButOverdue(now: Status, before: Status): void {
  const { planner, codex, ...others } = before.agents
  const { retry_wait: _, ...states } = before.handoffs
  assert.deepEqual(now.handoffs, {
    ...states,
    in_progress: before.handoffs.in_progress! - 1,
    expired: before.handoffs.expired! + 1,
    failed: before.handoffs.failed! + 1,
  })
  assert.deepEqual(now.tasks, before.tasks)
  assert.deepEqual(now.agents, {
    ...others,
    planner: { ...planner, outgoing: planner!.outgoing - 2 },
    codex: { ...codex, incoming: codex!.incoming - 2 },
  })
}

/** The doctor finds nothing, and the log as it is now verifies and goes on from the one that 0.1.0 exported. */
async function isHealthy({ where, root, exported }: OlderWorkspace): Promise<void> {
  const { code, stdout, stderr } = await quick(where, 'doctor', '--as', 'maria')
  assert.equal(code, 0, stdout + stderr)
  assert.match(stdout, /the log binds \d+ older rows? with the next step/)
  const log = join(root, '..', 'log')
  await ask(where, 'audit', 'checkpoint', '--as', 'maria')
  await ask(where, 'audit', 'export', '--out', log, '--as', 'maria')
  for (const args of [[exported], [log, '--seen', join(exported, 'checkpoint')]]) {
    const verified = await quick(where, 'audit', 'verify', ...args)
    assert.equal(verified.code, 0, verified.stdout + verified.stderr)
  }
}
