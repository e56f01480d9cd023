import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { summary } from '../support/documents/blocks.ts'
import { folders } from '../support/documents/folders.ts'
import { BATON, baton, cleanEnv, lines } from '../support/program/command.ts'

/** Runs a line in a shell as a person types it; `baton` stands for the installed command. */
function typed(cwd: string) {
  return (line: string) => {
    const script = `baton() { "$NODE" "$BATON" "$@"; }\n${line}`
    const env = { ...cleanEnv({ cwd }), NODE: process.execPath, BATON }
    const { status, stdout, stderr } = spawnSync('sh', ['-c', script], { cwd, env, encoding: 'utf8' })
    return { code: status, stdout, stderr }
  }
}

const DAY = /^\d{4}-\d\d-\d\d/

const RULES = { retry: 2, route_to: '@implementation-agent', escalate_after: 3 }

describe('J4, a pipeline that reads the summaries of agents', () => {
  it('[S2-74] [S2-79] collects, reports and measures as it is typed, in a repository where nobody has used Baton', (t) => {
    const place = folders(t)
    const cwd = place.repository('shop')
    const type = typed(cwd)
    place.file(
      'shop/reports/a-unit.md',
      summary({
        from: '@unit-testing-agent',
        metrics: { tests_passed: 45, coverage: '92%', execution_time: '1m 30s' },
      }),
    )
    place.file(
      'shop/reports/b-pm.md',
      summary({ from: '@project-manager', phase: 'Complete', metrics: { total_duration: '2h 15m' } }),
    )

    const collected = type('baton collect reports/*.md')

    assert.deepEqual([collected.code, collected.stderr], [0, '✓ created workspace .baton/ (SQLite)\n'])
    assert.deepEqual(
      lines(collected.stdout).map((line) => line.split('\t').slice(0, 4).join(' ').replace(DAY, 'today')),
      [
        '✓ unit-testing-agent Testing complete',
        '✓ project-manager Complete complete',
        'today Complete 8/8 complete ',
        'complete (2 entries, 2 recorded)',
      ],
    )
    const junit = type('baton collect --all --format junit reports/*.md > junit.xml')
    assert.equal(junit.code, 0)
    assert.match(
      readFileSync(join(cwd, 'junit.xml'), 'utf8'),
      /<testsuites name="baton" tests="2" failures="0"/,
    )
    const metrics = type('baton report metrics --by agent')
    assert.deepEqual(lines(metrics.stdout), [
      'project-manager\tblocks\t1 (1 complete)',
      'project-manager\ttotal_duration\t2h 15m',
      'unit-testing-agent\tblocks\t1 (1 complete)',
      'unit-testing-agent\tcoverage\t92%',
      'unit-testing-agent\texecution_time\t1m 30s',
      'unit-testing-agent\ttests_passed\t45',
    ])
  })

  it('[S2-75] says so where the last block passes and another has failed, and how that decides', (t) => {
    const place = folders(t)
    const type = typed(place.repository('shop'))
    place.file('shop/reports/a.md', summary({ from: '@visual-agent', status: 'failed' }))
    place.file('shop/reports/b.md', summary({ from: '@unit-testing-agent' }))

    const last = type('baton collect --no-store reports/*.md')
    const worst = type('baton collect --no-store --all reports/*.md')

    assert.deepEqual([last.code, worst.code], [0, 1])
    assert.match(last.stderr, /1 of 2 blocks failed or is blocked.*the worst decides with --all/)
    assert.doesNotMatch(worst.stderr, /--all/)
  })

  it('[S2-63] [S2-78] retries a failed block twice, then routes and escalates it, and the inboxes show it', async (t) => {
    const place = folders(t)
    const where = { cwd: place.repository('shop') }
    const facts = { from: '@unit-testing-agent', status: 'failed', task: 'task-12', on_failure: RULES }
    const inbox = async (agent: string) =>
      lines((await baton(where, 'inbox', '--as', agent)).stdout).map((line) =>
        line
          .split('\t')
          .slice(0, 3)
          .join(' ')
          .replace(/HO-\d{4}-/, ''),
      )
    const seen: (readonly string[])[] = []

    for (const retry_count of [0, 1, 2]) {
      place.file(`shop/reports/run-${retry_count}.md`, summary({ ...facts, retry_count }))
      assert.equal((await baton(where, 'collect', `reports/run-${retry_count}.md`)).code, 1)
      seen.push(await inbox('unit-testing-agent'))
    }

    const retry = (n: number) => `accept 001 Retry ${n} of 2: Testing by unit-testing-agent, task-12`
    assert.deepEqual(seen, [[retry(1)], [retry(2)], []])
    assert.deepEqual(await inbox('implementation-agent'), [
      'accept 002 Failed: Testing by unit-testing-agent, task-12',
    ])
    const mine = lines((await baton(where, 'inbox')).stdout)
    assert.match(
      mine[0] ?? '',
      /^decide\tHO-\d+-003\t.*Escalated: Testing by unit-testing-agent, task-12 failed 3 times\t/,
    )
  })
})
