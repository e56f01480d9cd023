import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, it, type TestContext } from 'node:test'
import { summary } from '../support/documents/blocks.ts'
import { folders } from '../support/documents/folders.ts'
import { ask, BATON, baton, cleanEnv, lines, quick, refusal, type Where } from '../support/program/command.ts'

interface Shown {
  readonly verdict: string
  readonly exit_code: number
  readonly stored: boolean
  readonly blocks: readonly {
    outcome: string
    file: string
    status?: string
    reason?: string
    from?: string
  }[]
  readonly metrics: readonly { key: string; metrics: readonly { path: string; sum?: number }[] }[]
}

/** A folder without a workspace and without git, with these files in it. */
function reports(t: TestContext, files: Readonly<Record<string, string>>, env: Record<string, string> = {}) {
  const place = folders(t)
  const cwd = place.folder('job')
  for (const [name, text] of Object.entries(files)) place.file(join('job', name), text)
  return { place, where: { cwd, env } satisfies Where }
}

/** The same in a git repository: there a workspace is made by the first write. */
function project(t: TestContext, files: Readonly<Record<string, string>>) {
  const place = folders(t)
  const cwd = place.repository('shop')
  for (const [name, text] of Object.entries(files)) place.file(join('shop', name), text)
  return { place, where: { cwd } satisfies Where }
}

const shown = async (where: Where, ...args: readonly string[]): Promise<Shown & { code: number | null }> => {
  const { code, stdout, stderr } = await quick(where, 'collect', ...args, '--json')
  assert.notEqual(stdout, '', stderr)
  return { ...JSON.parse(stdout), code }
}

describe('baton collect as a pipeline sees it', () => {
  it('[S2-74] [S2-75] ends with a code for complete, failed, blocked, not finished and no block', async (t) => {
    const statuses = ['complete', 'failed', 'blocked', 'pending', 'in_progress', 'retry']
    const files = Object.fromEntries(statuses.map((status) => [`${status}.md`, summary({ status })]))
    const { where } = reports(t, { ...files, 'none.md': '# Nothing to hand over\n' })

    const codes: (number | null)[] = []
    for (const name of [...statuses, 'none']) codes.push((await quick(where, 'collect', `${name}.md`)).code)

    assert.deepEqual(codes, [0, 1, 10, 11, 11, 11, 12])
  })

  it('[S2-74] ends with the same codes as a process', async (t) => {
    const { where } = reports(t, { 'failed.md': summary({ status: 'failed' }), 'none.md': 'no block\n' })

    assert.equal((await baton(where, 'collect', 'failed.md')).code, 1)
    assert.equal((await baton(where, 'collect', 'none.md')).code, 12)
  })

  it('[S2-76] goes by the status alone: a failed scenario in the metrics of complete work is a warning', async (t) => {
    const { where } = reports(t, { 'a.md': summary({ metrics: { scenarios: 15, scenarios_failed: 1 } }) })

    const { code, stderr } = await quick(where, 'collect', 'a.md')

    assert.equal(code, 0)
    assert.match(stderr, /complete_with_failures/)
  })

  it('[S2-75] lets the last block decide where all are valid, and with --all the worst of everything', async (t) => {
    const { where } = reports(t, {
      'a.md': summary({ status: 'failed' }),
      'b.md': summary({}) + summary({ phase: 'string' }),
      'c.md': summary({}),
      'old.md': '## TESTING COMPLETE\n\n✅ Tests passed: 25/25\n\n**Next Agent:** None\n',
    })

    const codes: (number | null)[] = []
    for (const args of [
      ['a.md', 'c.md'],
      ['a.md', 'b.md'],
      ['--all', 'a.md', 'b.md'],
      ['--all', 'b.md'],
      ['--all', 'c.md'],
      ['--all', 'c.md', 'old.md'],
    ])
      codes.push((await quick(where, 'collect', ...args)).code)

    assert.deepEqual(codes, [0, 12, 1, 12, 0, 12])
  })

  it('[S2-16] [S2-37] says of a status in another case what to write, and not that it counts', async (t) => {
    const { where } = reports(t, { 'a.md': summary({}).replace('"complete"', 'Complete') })

    const { code, stdout } = await quick(where, 'collect', 'a.md')

    assert.equal(code, 12)
    assert.match(stdout, /Invalid status: Complete\. Write status: "complete"\.\n/)
    assert.match(stdout, /^a handoff block is missing or invalid \(1 entry, 1 invalid\)$/m)
  })

  it('[S2-75] counts a failure also where something else in its block is wrong', async (t) => {
    const { where } = reports(t, {
      'a.md':
        summary({}) +
        summary({ status: 'failed', dependencies: [] }).replace('dependencies: []', 'retry_count: -1'),
    })

    const { code, blocks } = await shown(where, 'a.md')

    assert.deepEqual([code, blocks[1]?.outcome, blocks[1]?.status], [1, 'invalid', 'failed'])
  })

  it('[S2-80] reads files, folders and the pipe', async (t) => {
    const { where } = reports(t, {
      'reports/a.md': summary({ from: '@a' }),
      'reports/b.md': summary({ from: '@b' }),
      'reports/README.md': '# What this folder is for\n',
    })

    const folder = await shown(where, 'reports')
    const piped = await shown({ ...where, input: summary({ from: '@c', status: 'blocked' }) }, '-')

    assert.deepEqual(
      folder.blocks.map(({ file, from }) => `${file} ${from}`),
      ['reports/a.md a', 'reports/b.md b'],
    )
    assert.deepEqual([piped.code, piped.blocks[0]?.from, piped.blocks[0]?.file], [10, 'c', '-'])
  })

  it('[S2-74] counts the markdown of a folder that has no block when all decide, but for its README', async (t) => {
    const { where } = reports(t, {
      'reports/a.md': summary({ from: '@a' }),
      'reports/b.md': '# Tests ran\n',
      'reports/data.json': '{}',
      'reports/README.md': '# What this folder is for\n',
      'good/a.md': summary({ from: '@a' }),
      'good/README.md': '# What this folder is for\n',
    })

    const [last, all] = [await shown(where, 'reports'), await shown(where, '--all', 'reports')]
    const files = await quick(where, 'collect', '--all', 'reports/a.md', 'reports/b.md')
    const good = await shown(where, '--all', 'good')

    assert.deepEqual([last.code, all.code, files.code, good.code], [0, 12, 12, 0])
    assert.deepEqual(
      all.blocks.map(({ file, outcome }) => `${file} ${outcome}`),
      ['reports/a.md read', 'reports/b.md no_block'],
    )
  })

  it('[S2-80] refuses what it cannot do with an error that programs can read', async (t) => {
    const { where } = reports(t, { 'a.md': summary({}) })

    const missing = await refusal(where, 'collect', 'nowhere.md')
    const nothing = await refusal(where, 'collect')
    const mixed = await refusal(where, 'collect', '-', 'a.md')
    const run = await refusal(where, 'collect', 'a.md', '--run', 'RUN-1')
    const format = await quick(where, 'collect', 'a.md', '--format', 'html')

    assert.deepEqual([missing.code, missing.exit, missing.details.file], ['not_found', 3, 'nowhere.md'])
    assert.deepEqual(
      [nothing, mixed, run].map(({ code }) => code),
      Array(3).fill('invalid_input'),
    )
    assert.deepEqual([format.code, format.stdout], [2, ''])
    assert.match(format.stderr, /--format is one of table, json, junit, markdown, github/)
  })

  it('[S2-80] reports a broken block with its place and takes the others', async (t) => {
    const broken = '```yaml\nhandoff:\n  phase: "Testing\n  from: [\n```\n'
    const { where } = reports(t, { 'a.md': `${broken}\n${summary({})}` })

    const { code, stderr, stdout } = await quick(where, 'collect', 'a.md')

    assert.equal(code, 12)
    assert.match(stderr, /a\.md:\d+ \w+: /)
    assert.match(stdout, /✓\ttester\tTesting\tcomplete/)
  })

  it('[S2-87] recommends on_failure for failed work that has none', async (t) => {
    const { where } = reports(t, { 'a.md': summary({ status: 'failed' }) })

    assert.match((await quick(where, 'collect', 'a.md')).stderr, /failed_without_on_failure/)
  })
})

describe('baton collect without a workspace', () => {
  it('[S2-77] [S2-79] gives codes and reports, makes nothing, and says that nothing is stored', async (t) => {
    const { where } = reports(
      t,
      { 'a.md': summary({ metrics: { tests_passed: 3, coverage: '95%' } }) },
      { CI: 'true' },
    )

    const { code, stderr } = await quick(where, 'collect', 'a.md')
    const { stored, metrics, verdict, exit_code } = await shown(where, 'a.md')

    assert.equal(code, 0)
    assert.match(stderr, /^not stored: there is no workspace here/)
    assert.deepEqual([stored, verdict, exit_code], [false, 'complete', 0])
    assert.equal(metrics[0]?.metrics.find(({ path }) => path === 'tests_passed')?.sum, 3)
    assert.equal(existsSync(join(where.cwd, '.baton')), false)
  })

  it('makes none in CI or under a coding agent, not even in a git repository', async (t) => {
    const { where } = project(t, { 'a.md': summary({}) })

    for (const env of [{ CI: '1' }, { CLAUDECODE: '1' }] as const) {
      const { stored, code } = await shown({ ...where, env }, 'a.md')
      assert.deepEqual([stored, code], [false, 0])
    }
    assert.equal(existsSync(join(where.cwd, '.baton')), false)
  })

  it('changes nothing with --no-store, also where there is one', async (t) => {
    const { where } = project(t, { 'a.md': summary({ status: 'failed', on_failure: { notify: '@lead' } }) })
    await quick(where, 'init')

    const { stored } = await shown(where, 'a.md', '--no-store')

    assert.equal(stored, false)
    assert.deepEqual((await ask<{ items: unknown[] }>(where, 'report', 'history')).items, [])
    assert.deepEqual((await ask<{ notices: unknown[] }>(where, 'inbox', '--as', 'lead')).notices, [])
  })

  it('does not pass over a store that was named and cannot be used', async (t) => {
    const { where } = reports(t, { 'a.md': summary({}) })

    const { code, stdout } = await quick(where, 'collect', 'a.md', '--store', 'postgres://127.0.0.1:1/none')

    assert.notEqual(code, 0)
    assert.equal(stdout, '')
  })
})

describe('reports of baton collect', () => {
  const HOSTILE = summary(
    {
      from: '@tester',
      status: 'failed',
      task: 'task-1',
      metrics: { note: '<b>|x|</b> "&" @maria \u0007', execution_time: '1m 30s' },
    },
    '# <Fail> & "quote"',
  )

  it('[S2-79] is JUnit XML that others can parse: failed fails, unfinished is skipped, no block is an error', async (t) => {
    const { where } = reports(t, {
      'a.md': HOSTILE,
      'b.md': summary({}) + summary({ status: 'in_progress' }),
      'c&d.md': 'nothing\n',
    })

    const { stdout, code } = await quick(
      where,
      'collect',
      '--all',
      '--format',
      'junit',
      'a.md',
      'b.md',
      'c&d.md',
    )

    const script = `import sys, json, xml.etree.ElementTree as e
root = e.fromstring(sys.stdin.read())
print(json.dumps([[root.tag, root.get('tests'), root.get('failures'), root.get('errors'), root.get('skipped')],
  [[s.get('name')] + [[c.get('classname'), c.get('time'), [x.tag for x in c]] for c in s] for s in root]]))`
    const parsed = spawnSync('python3', ['-c', script], { input: stdout, encoding: 'utf8' })
    assert.equal(code, 1)
    assert.deepEqual(JSON.parse(parsed.stdout || parsed.stderr), [
      ['testsuites', '4', '1', '1', '1'],
      [
        ['a.md', ['tester', '90.000', ['failure']]],
        ['b.md', ['tester', null, []], ['tester', null, ['skipped']]],
        ['c&d.md', ['unknown', null, ['error']]],
      ],
    ])
  })

  it('[S2-79] is markdown in which the words of an agent stay words', async (t) => {
    const { where } = reports(t, { 'a.md': HOSTILE })

    const { stdout } = await quick(where, 'collect', '--format', 'markdown', 'a.md')

    assert.match(stdout, /^## ❌ Handoffs: failed\n/)
    assert.match(stdout, /\| ❌ \| tester \| Testing \| failed \|/)
    assert.match(stdout, /\| note \| &lt;b>\\\|x\\\|&lt;\/b> "&amp;" @<!-- -->maria \| 1 \|/)
    assert.match(stdout, /\| execution\\_time \| 1m 30s \| 1 \|/)
  })

  it('[S2-79] is appended to the step summary of GitHub, and a summary that cannot be written fails nothing', async (t) => {
    const { where, place } = reports(t, { 'a.md': summary({}) })
    const file = place.file('summary.md', 'before\n')

    const github = await quick(
      { ...where, env: { GITHUB_STEP_SUMMARY: file } },
      'collect',
      '--format',
      'github',
      'a.md',
    )
    const closed = { ...where, env: { GITHUB_STEP_SUMMARY: join(file, 'no') } }
    const unwritable = await quick(closed, 'collect', '--format', 'github', 'a.md')

    assert.match(readFileSync(file, 'utf8'), /^before\n## ✅ Handoffs: complete\n/)
    assert.match(github.stdout, /^## ✅ Handoffs: complete\n/)
    assert.equal(unwritable.code, 0)
    assert.match(unwritable.stderr, /the step summary .* cannot be written \(ENOTDIR\)/)
  })

  it('[S2-78] does in a workspace what on_failure says, from CI too', async (t) => {
    const { where } = project(t, {
      'a.md': summary({ status: 'failed', task: 'task-1', on_failure: { notify: '@lead', retry: 1 } }),
    })
    await quick(where, 'init')

    const { code, stdout } = await quick({ ...where, env: { CI: '1' } }, 'collect', 'a.md')

    assert.equal(code, 1)
    assert.match(stdout, /retry 1: HO-\d{4}-001 to tester; lead was told/)
    const { items } = await ask<{ items: { title: string }[] }>(where, 'inbox', '--as', 'tester')
    assert.deepEqual(
      items.map(({ title }) => title),
      ['Retry 1 of 1: Testing by tester, task-1'],
    )
  })
})

describe('baton report metrics', () => {
  it('[S2-65] [S2-86] shows sums by agent and phase as a table, for a spreadsheet and as bars', async (t) => {
    const { where } = project(t, {
      'a.md': summary({ from: '@a', metrics: { tests: 3, took: '1m 30s', note: '=1+1' } }),
      'b.md': summary({ from: '@b', phase: 'QA', metrics: { tests: 4, took: '45s' } }),
    })
    await quick(where, 'collect', 'a.md', 'b.md')

    const table = await quick(where, 'report', 'metrics', '--by', 'agent')
    const csv = await quick(where, 'report', 'metrics', '--by', 'phase', '--csv')
    const chart = await quick(where, 'report', 'metrics', '--by', 'phase', '--chart')
    const both = await refusal(where, 'report', 'metrics', '--csv')

    assert.ok(lines(table.stdout).includes('a\ttook\t1m 30s'))
    assert.deepEqual(lines(csv.stdout), [
      'phase,metric,type,count,sum,min,max,average,true,false,values',
      'QA,tests,number,1,4,4,4,4,,,',
      'QA,took,duration,1,45,45,45,45,,,',
      "Testing,note,text,1,,,,,,,'=1+1",
      'Testing,tests,number,1,3,3,3,3,,,',
      'Testing,took,duration,1,90,90,90,90,,,',
    ])
    assert.match(chart.stdout, /QA took +█{20} 45s\n +Testing took +█{40} 1m 30s\n/)
    assert.equal(both.code, 'invalid_input')
  })
})

describe('baton block', () => {
  const write = async (...args: readonly string[]): Promise<string> => {
    const { stdout, stderr, code } = await quick({ cwd: '/' }, 'block', ...args)
    assert.equal(code, 0, stderr)
    return stdout
  }
  const LEAST = ['--from', 'qa', '--phase', 'QA', '--status', 'complete', '--at', '2026-02-21T14:30:00Z']

  it('[S2-81] [S2-83] writes the four fields, agents in quotes and None for nobody', async () => {
    assert.equal(
      await write(...LEAST),
      '```yaml\nhandoff:\n  phase: "QA"\n  from: "@qa"\n  to: "None"\n  status: "complete"\n  timestamp: "2026-02-21T14:30:00Z"\n```\n',
    )
  })

  it('[S2-81] writes metrics, dependencies, rules and the task, and what it writes is collected', async (t) => {
    const text = await write(
      ...LEAST,
      ...['--metric', 'tests_passed=25', '--metric', 'coverage=95%', '--metric', 'test_types.unit=12'],
      ...['--metric', 'passed=true', '--depends-on', 'task-15.10', '--task', 'task-16', '--to', '@lead'],
      ...[
        '--retry',
        '2',
        '--route-to',
        'fixer',
        '--escalate-after',
        '3',
        '--failure-context',
        'Look: at @this',
      ],
    )
    const { where } = reports(t, { 'a.md': text })

    const { blocks, code } = await shown(where, 'a.md')

    assert.equal(code, 0)
    const { from, to, task, metrics, dependencies } = blocks[0] as Record<string, unknown>
    assert.deepEqual([from, to, task, dependencies], ['qa', 'lead', 'task-16', ['task-15.10']])
    assert.deepEqual(metrics, { tests_passed: 25, coverage: '95%', test_types: { unit: 12 }, passed: true })
  })

  it('[S2-82] refuses a phase or a status that is not one of the document, and an agent that is no name', async () => {
    const wrong = [
      ['--from', 'qa', '--phase', 'Development', '--status', 'complete'],
      ['--from', 'qa', '--phase', 'QA', '--status', 'done'],
      ['--from', 'two words', '--phase', 'QA', '--status', 'complete'],
      ['--phase', 'QA', '--status', 'complete'],
    ]
    const messages: string[] = []
    for (const args of wrong) messages.push((await refusal({ cwd: '/' }, 'block', ...args)).message)

    assert.match(messages[0]!, /^Invalid phase: Development; write one of Research, /)
    assert.match(messages[1]!, /^Invalid status: done; write one of pending, /)
    assert.match(messages[2]!, /^from: an agent name is /)
    assert.match(messages[3]!, /^block needs --from \(or --as\); for example: /)
  })

  it('says in its help where the name of the agent comes from', async () => {
    const { stdout } = await quick({ cwd: '/' }, 'block', '--help')

    assert.match(stdout, /--from <agent> .*\(--as, else BATON_AGENT\)/)
  })

  it('[S2-84] writes the same bytes again from what was read of its block', async () => {
    const first = await write(...LEAST, '--metric', 'coverage=95%', '--context', 'note=a: "b" #c')

    const { stdout } = await quick({ cwd: '/', input: first }, 'convert', '-', '--to', 'block')

    assert.equal(stdout.trim(), first.trim())
  })
})

describe('baton collect --follow', () => {
  /** A process that follows; answers each line that it prints. */
  function following(t: TestContext, where: Where, ...args: readonly string[]) {
    const child = spawn(process.execPath, [BATON, 'collect', '--follow', '--json', ...args], {
      cwd: where.cwd,
      env: cleanEnv(where),
      timeout: 60_000,
    })
    t.after(() => child.kill('SIGKILL'))
    const printed = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const started = new Promise<void>((done) => child.stderr.once('data', () => done()))
    const ended = new Promise<number | null>((done) => child.once('close', done))
    return {
      child,
      started,
      ended,
      next: async () => JSON.parse((await printed.next()).value ?? '{}') as Record<string, unknown>,
    }
  }

  it('[S2-85] shows blocks as they are written into files, each once, and a half-written one when it is whole', async (t) => {
    const { where } = project(t, { 'reports/a.md': summary({ from: '@a' }) })
    const run = following(t, where, 'reports')
    const file = join(where.cwd, 'reports/a.md')

    const first = await run.next()
    const [head, tail] = summary({ from: '@b', status: 'blocked' }).split('  status:')
    appendFileSync(file, head!)
    writeFileSync(join(where.cwd, 'reports/new.md'), summary({ from: '@c' }))
    const second = await run.next()
    appendFileSync(file, `  status:${tail}`)
    const third = await run.next()
    run.child.kill('SIGINT')

    assert.deepEqual(
      [first, second, third].map(({ from, outcome, status }) => [from, outcome, status]),
      [
        ['a', 'recorded', 'complete'],
        ['c', 'recorded', 'complete'],
        ['b', 'recorded', 'blocked'],
      ],
    )
    assert.equal(await run.ended, 0)
    const { items } = await ask<{ items: unknown[] }>(where, 'report', 'history')
    assert.equal(items.length, 3)
  })

  it('[S2-85] without files shows what others store, and ends after as many as were asked for', async (t) => {
    const { where } = project(t, { 'old.md': summary({ from: '@old' }) })
    await quick(where, 'collect', 'old.md')
    const run = following(t, where, '--count', '2')
    await run.started
    // It says that it follows before it has looked at the store: what it shows first may be the first of these or a later one.
    let stop = false
    const writer = (async () => {
      for (let i = 0; !stop; i += 1) {
        writeFileSync(join(where.cwd, 'live.md'), summary({ from: '@live', metrics: { i } }))
        await quick(where, 'collect', 'live.md')
      }
    })()

    const [first, second] = [await run.next(), await run.next()]
    const code = await run.ended
    stop = true
    await writer

    assert.deepEqual([first.from, second.from, code], ['live', 'live', 0])
    assert.notEqual(first.uid, second.uid)
  })

  it('refuses the pipe and a file that is not there', async (t) => {
    const { where } = reports(t, {})

    assert.equal((await refusal(where, 'collect', '--follow', '-')).code, 'invalid_input')
    assert.equal((await refusal(where, 'collect', '--follow', 'nowhere')).code, 'not_found')
    rmSync(where.cwd, { recursive: true })
  })
})
