import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { queueFolderAt, REACT } from '../folders/queue.ts'
import { ask, baton, quick } from '../support/program/command.ts'
import { runnersIn } from '../support/program/runners.ts'

const QUEUE = { dialect: 'queue', folders: [{ dialect: 'queue', path: '.' }] }
const id = (n: number) => `hoff-00${n}-1705147200000`
const ONCE = { retry_policy: { max_retries: 0, retry_delay_seconds: 1, backoff_multiplier: 1 } }

/** How a command ends in each of the five errors of document 001. */
const ERRORS = {
  SCHEMA_VALIDATION_FAILED: {
    answer: 'calls',
    script: "baton('fail', '@', '--code', 'SCHEMA_VALIDATION_FAILED', '--message', 'no pages')",
  },
  PROCESSING_ERROR: { script: "console.error('the compiler is down'); process.exit(2)" },
  TIMEOUT: { timeout: '1s', script: 'await sleep(60_000)' },
  DEPENDENCY_MISSING: {
    answer: 'calls',
    script: "baton('fail', '@', '--code', 'DEPENDENCY_MISSING', '--message', 'no tokens yet')",
  },
  VALIDATION_FAILED: { answer: 'block', script: "console.log('done, I think')" },
}

describe('J3 over folders, with commands under baton run', { concurrency: 2 }, () => {
  const SPECIALIST = { script: "console.log('built', /TestComponent|UserProfile/.exec(brief)[0])" }

  it('[S1-113] [S1-119] [S1-120] takes a file that was dropped, and the files say that it is done', async (t) => {
    const w = runnersIn(t, { 'react-specialist': SPECIALIST }, { more: QUEUE })
    const folder = queueFolderAt(w.root)
    folder.put('pending', id(1), folder.request(id(1)))

    const { code, stderr } = await w.once()

    assert.equal(code, 0, stderr)
    assert.deepEqual(folder.placesOf(id(1)), ['completed'])
    const { phases } = folder.json('context/phase-status.json') as {
      phases: Record<string, { status: string }>
    }
    assert.equal(phases['13']?.status, 'completed')
  })

  it('[S1-111] [S1-112] [S1-115] takes a request that was sent, and the orchestrator waits for it', async (t) => {
    const w = runnersIn(t, { 'react-specialist': SPECIALIST }, { more: QUEUE })
    const sent = await ask<{ handoff: { id: string } }>(
      w.where,
      ...['send', '--as', 'frontend-specialist', '--to', 'react-specialist', '--title', 'Build UserProfile'],
    )
    const waiting = baton(w.where, 'wait', sent.handoff.id, '--as', 'frontend-specialist', '--json')

    await w.once()

    const outcome = JSON.parse((await waiting).stdout) as { handoff: { state: string }; note: string }
    assert.deepEqual([outcome.handoff.state, outcome.note], ['completed', 'built UserProfile'])
    assert.deepEqual(queueFolderAt(w.root).placesOf(sent.handoff.id), ['completed'])
  })

  it('[S1-114] [S1-117] ends in each of the five errors, and the orchestrator is told which', async (t) => {
    const agents = Object.keys(ERRORS).map((code) => [code, code.toLowerCase().replaceAll('_', '-')] as const)
    const w = runnersIn(
      t,
      Object.fromEntries(agents.map(([code, agent]) => [agent, ERRORS[code as keyof typeof ERRORS]])),
      { more: QUEUE },
    )
    const folder = queueFolderAt(w.root)
    for (const [n, [, agent]] of agents.entries())
      folder.put(
        'pending',
        id(n),
        folder.request(id(n), { target: { ...REACT, agent_id: `@${agent}` }, ...ONCE }),
      )
    await folder.sync()

    await w.once()

    for (const [n, [code]] of agents.entries()) {
      assert.deepEqual(folder.placesOf(id(n)), ['failed'], code)
      assert.equal((folder.file('failed', id(n)).error as { code: string }).code, code)
      const { stderr } = await quick(w.where, 'wait', id(n), '--as', 'frontend-specialist', '--json')
      assert.match(stderr, /"code":"failed"/, code)
    }
  })

  it('[S1-116] [S1-118] [S1-121] retries after the delay of the request, times out a waiter, and refuses ids that leave the folder', async (t) => {
    const w = runnersIn(
      t,
      {
        'react-specialist': {
          script:
            "if (!existsSync(home + '/again')) { writeFileSync(home + '/again', ''); process.exit(1) } console.log('done')",
        },
      },
      { more: QUEUE },
    )
    const folder = queueFolderAt(w.root)
    await folder.sync()
    const retry_policy = { max_retries: 1, retry_delay_seconds: 1, backoff_multiplier: 1 }
    folder.put('pending', id(1), folder.request(id(1), { retry_policy }))
    folder.put('pending', 'odd-1', folder.request('../../evil'))
    const happened = await folder.sync()
    assert.deepEqual(
      happened.flatMap(({ what }) => (what === 'refused' ? [what] : [])),
      ['refused'],
    )
    assert.match(
      (await quick(w.where, 'wait', id(1), '--as', 'frontend-specialist', '--timeout', '1')).stderr,
      /not done|time is up|timed out/i,
    )

    await w.once()
    const { not_before, failed_at } = folder.file('failed', id(1))
    assert.equal(Date.parse(String(not_before)) - Date.parse(String(failed_at)), 1_000)
    await new Promise((done) => setTimeout(done, 1_000))
    await folder.sync()
    await w.once()

    assert.deepEqual(folder.placesOf(id(1)), ['completed'])
    assert.equal(folder.file('completed', id(1)).retry_count, 1)
    assert.deepEqual(folder.placesOf('odd-1'), ['pending'])
  })
})
