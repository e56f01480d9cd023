import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { folders, git } from '../support/documents/folders.ts'
import { ask, BATON, baton, cleanEnv, onTerminal, quick, refusal } from '../support/program/command.ts'
import { killRunners } from '../support/program/run-kills.ts'
import { guardsAt, programsAt, runnersIn, until } from '../support/program/runners.ts'

interface Metrics {
  readonly groups: readonly {
    readonly key: string
    readonly metrics: readonly { readonly path: string; readonly sum: number }[]
  }[]
  readonly usage?: { readonly cost_usd: number }
}

describe('a program that baton run starts', { concurrency: 2 }, () => {
  it('works on a branch of its own, hands in its commit, and gets the refusal in its next brief', async (t) => {
    const w = runnersIn(t, {
      coder: {
        worktree: true,
        script: "appendFileSync(home + '/briefs', brief); commit('limit.ts', String(Date.now()))",
      },
    })
    const { id } = await w.send('coder', '--deliverable', 'Middleware')

    assert.deepEqual(await started(w), [id])
    // Another git holds its settings for a moment.
    const lock = w.place.file('shop/.git/config.lock', '')
    setTimeout(() => rmSync(lock), 1_500)
    const first = await w.once()

    assert.deepEqual(
      [first.code, first.stdout.includes(`.worktrees/coder/${id.toLowerCase()}`)],
      [0, true],
      first.stderr,
    )
    const branch = `baton/coder/${id.toLowerCase()}`
    const commit = git(w.root, 'rev-parse', branch).trim()
    const { handoff, result } = await w.show(id)
    assert.deepEqual(
      [handoff.state, result?.evidence],
      ['in_review', [{ deliverable: 'Middleware', evidence: `commit ${commit} on ${branch}` }]],
    )
    assert.doesNotMatch(result?.note ?? '', /outside/)
    assert.doesNotMatch(w.written('briefs'), /refused/)

    await ask(w.where, 'verify', id, '--fail', 'the header is missing', '--as', 'planner')
    await w.once()

    assert.match(w.written('briefs'), /refused, because:\n\| the header is missing\n$/)
    assert.equal(git(w.root, 'rev-list', '--count', `HEAD..${branch}`).trim(), '2')
    assert.equal((await w.show(id)).handoff.attempt, 1)

    await ask(w.where, 'verify', id, '--pass', '--as', 'planner')
    await w.once()

    assert.equal(existsSync(join(w.root, '.worktrees/coder', id.toLowerCase())), false)
    assert.equal(git(w.root, 'rev-list', '--count', `HEAD..${branch}`).trim(), '2')
  })

  it('may end its work by a call of its own under its instance, and then finish in peace', async (t) => {
    const w = runnersIn(t, {
      coder: { answer: 'calls', script: "baton('submit', '@', '--note', 'done by a call')" },
      other: {
        answer: 'calls',
        script:
          "baton('reject', '@', '--reason', 'not mine'); await sleep(3000); writeFileSync(home + '/finished', 'yes')",
      },
      unable: {
        answer: 'calls',
        script: `
          baton('fail', '@', '--code', 'PROCESSING_ERROR', '--message', 'no compiler')
          await sleep(2000)
          console.log(JSON.stringify({ type: 'result', total_cost_usd: 1 }))`,
      },
      silent: { answer: 'calls', script: "console.log('I could not')" },
    })
    const [done, declined, not] = [await w.send('coder'), await w.send('other'), await w.send('silent')]
    const [failed, again] = [
      await w.send('unable'),
      await w.send('unable', '--retry', '{"max":1,"delay_s":0,"multiplier":1}'),
    ]

    const { code } = await w.once()

    const [first, second, third] = await Promise.all([done, declined, not].map(({ id }) => w.show(id)))
    assert.deepEqual([code, first?.handoff.state, first?.result?.note], [0, 'in_review', 'done by a call'])
    assert.deepEqual([second?.handoff.state, w.written('finished')], ['rejected', 'yes'])
    assert.equal(third?.handoff.state, 'failed')
    assert.match(
      third?.handoff.error?.message ?? '',
      /ended without handing in HO-.*it said last: I could not/,
    )
    for (const [{ id }, tries] of [
      [failed, 1],
      [again, 2],
    ] as const) {
      const { state, attempts } = (await w.show(id)).handoff
      const costs = attempts.map(({ usage }) => usage?.cost_usd)
      assert.deepEqual([state, costs], ['failed', Array.from({ length: tries }, () => 1)], id)
    }
  })

  it('finishes in its worktree when its work has ended, and means its own by @ beside another one', async (t) => {
    const w = runnersIn(t, {
      coder: {
        ...{ concurrency: 2, worktree: true, answer: 'calls' },
        script: `
          const folder = process.cwd()
          const until = async (holds) => { while (!holds()) await sleep(50) }
          const [own, other] = brief.includes('slowly') ? ['slow', 'quick'] : ['quick', 'slow']
          writeFileSync(home + '/' + own, folder)
          await until(() => existsSync(home + '/' + other))
          baton('fail', '@', '--code', 'PROCESSING_ERROR', '--message', own)
          if (own === 'quick') await until(() => existsSync(home + '/failed'))
          else {
            writeFileSync(home + '/failed', '')
            await until(() => !existsSync(readFileSync(home + '/quick', 'utf8')))
            await sleep(500)
            writeFileSync(home + '/there', String(existsSync(folder)))
          }`,
      },
    })
    const [slow, quick] = [await w.send('coder', '--context', 'slowly'), await w.send('coder')]

    assert.equal((await w.once()).code, 0)

    const errors = await Promise.all([slow, quick].map(async ({ id }) => (await w.show(id)).handoff.error))
    assert.deepEqual(
      errors.map((error) => error?.message),
      ['slow', 'quick'],
    )
    assert.equal(w.written('there'), 'true')
  })

  it('that handed in itself and is refused before it ends gets the refusal, and has not failed', async (t) => {
    const w = runnersIn(t, {
      coder: {
        answer: 'calls',
        script: `
          baton('submit', '@', '--note', 'done')
          while (!brief.includes('refused, because') && !existsSync(home + '/judged')) await sleep(50)`,
      },
    })
    const { id } = await w.send('coder')
    const running = w.once()
    await until(async () => (await w.show(id)).handoff.state === 'in_review')

    await ask(w.where, 'verify', id, '--fail', 'the header is missing', '--as', 'planner')
    w.place.file('judged', '')

    assert.equal((await running).code, 0)
    const { state, attempts } = (await w.show(id)).handoff
    assert.deepEqual([state, attempts.length], ['in_review', 1])
  })

  it('that asked its sender goes on with the answer, also where that came before it ended', async (t) => {
    const w = runnersIn(t, {
      coder: {
        answer: 'calls',
        script: `
          if (brief.includes('planner, answer: blue')) baton('submit', '@', '--note', 'blue it is')
          else {
            baton('ask', '@', '--question', 'Which colour?')
            while (!existsSync(home + '/answered')) await sleep(50)
          }`,
      },
    })
    const { id } = await w.send('coder')
    const running = w.once()
    await until(async () => (await w.show(id)).handoff.state === 'needs_input')

    await ask(w.where, 'answer', id, '--text', 'blue', '--as', 'planner')
    w.place.file('answered', '')

    assert.equal((await running).code, 0)
    const { handoff, result } = await w.show(id)
    assert.deepEqual([handoff.state, handoff.attempts.length, result?.note], ['in_review', 1, 'blue it is'])
  })

  it('is an agent and never a person: it sees nothing of the person that is not listed, and no terminal', async (t) => {
    const w = runnersIn(t, {
      coder: {
        env: ['LISTED'],
        script: `
          writeFileSync(home + '/seen', JSON.stringify(process.env))
          const { status } = spawnSync('sh', ['-c', 'exec </dev/tty'], { stdio: 'ignore' })
          writeFileSync(home + '/tty', String(status === 0))
          console.log(baton('whoami', '--json'), process.env.LISTED)`,
      },
    })
    await w.send('coder')

    const env = { LISTED: 'a key of maria', SECRET: 'x', BATON_TOKEN: 'x', ANTHROPIC_API_KEY: 'x' }
    onTerminal({ ...w.where, env }, ['run', '--once'])

    const seen = JSON.parse(w.written('seen')) as Record<string, string>
    const names = Object.keys(seen).filter(
      (name) => !/^(?:PATH|HOME|USER|LOGNAME|SHELL|TMPDIR|TZ|LANG|LC_\w+|PWD|SHLVL|_)$/.test(name),
    )
    assert.deepEqual(names.sort(), ['BATON_AGENT', 'BATON_INSTANCE', 'BATON_WORKSPACE', 'LISTED', 'TERM'])
    assert.equal(w.written('tty'), 'false')
    const { result } = await w.show('HO-2026-001').catch(() => w.show('@'))
    assert.match(result?.note ?? '', /"kind":"agent"[\s\S]*\[LISTED\]$/)
  })

  it('has its cost and tokens kept with the attempt and summed by agent and in all', async (t) => {
    const event = (cost: number) =>
      `console.log(JSON.stringify({ type: 'result', total_cost_usd: ${cost}, usage: { input_tokens: 10, cache_creation_input_tokens: 5, cache_read_input_tokens: 85, output_tokens: 7 } }))`
    const block =
      '```yaml\\nhandoff:\\n  phase: "Testing"\\n  from: "@tester"\\n  to: "None"\\n  status: "complete"\\n  metrics:\\n    input_tokens: 40\\n    cost_usd: 0.5\\n```'
    const w = runnersIn(t, {
      coder: { answer: 'calls', script: `baton('submit', '@', '--note', 'done'); ${event(0.1)}` },
      tester: { answer: 'block', script: `console.log('${block}')` },
      plain: { script: "console.log('nothing of it')" },
    })
    const [coded] = [await w.send('coder'), await w.send('tester'), await w.send('plain')]
    await w.once()
    await ask(w.where, 'verify', coded.id, '--fail', 'the header is missing', '--as', 'planner')
    await w.once()

    const [attempt] = (await w.show(coded.id)).handoff.attempts
    assert.deepEqual(attempt?.usage, { cost_usd: 0.2, input_tokens: 200, output_tokens: 14 })
    const { groups, usage } = await ask<Metrics>(w.where, 'report', 'metrics')
    assert.deepEqual(usage, { attempts: 2, cost_usd: 0.7, input_tokens: 240, output_tokens: 14 })
    assert.deepEqual(
      groups.map(({ key, metrics }) => [key, ...metrics.map(({ path, sum }) => `${path} ${sum}`)]),
      [
        ['coder', 'run.cost_usd 0.2', 'run.input_tokens 200', 'run.output_tokens 14'],
        ['tester', 'run.cost_usd 0.5', 'run.input_tokens 40'],
      ],
    )
    const of = await ask<Metrics>(w.where, 'report', 'metrics', '--agent', 'tester')
    assert.equal(of.usage?.cost_usd, 0.5)
    assert.match((await quick(w.where, 'show', coded.id)).stdout, /0\.2 cost usd, 200 input tokens/)
    const foreign = ['artifact', 'put', 'x', '--handoff', coded.id, '--usage', '{"cost_usd":1}']
    assert.equal((await refusal(w.where, ...foreign, '--as', 'stranger')).code, 'not_allowed')
    assert.equal((await quick(w.where, 'audit', 'verify')).code, 0)
  })

  it('is ended with all that it started when its work is cancelled', async (t) => {
    const w = runnersIn(t, {
      coder: {
        script: `
          process.on('SIGTERM', () => undefined)
          spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' })
          await sleep(60_000)`,
      },
    })
    const { id } = await w.send('coder')
    const running = baton(w.where, 'run', '--once')
    await until(() => programsAt(w.root).length >= 2)

    await ask(w.where, 'handoff', 'cancel', id, '--as', 'planner')

    assert.equal((await running).code, 1)
    assert.deepEqual(programsAt(w.root), [])
    assert.equal((await w.show(id)).handoff.state, 'cancelled')
  })

  it('is not ended by the first Ctrl-C; the second ends it and gives the work back unspent', async (t) => {
    const w = runnersIn(t, {
      coder: { script: "while (!existsSync(home + '/calm')) await sleep(20)" },
      slow: { script: 'await sleep(60_000)' },
    })
    const [quickly, slow] = [await w.send('coder'), await w.send('slow')]
    const runner = spawn(process.execPath, [BATON, 'run', '--json'], {
      cwd: w.root,
      env: cleanEnv(w.where),
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    t.after(() => runner.kill('SIGKILL'))
    const ended = new Promise((done) => runner.once('exit', done))
    await until(() => programsAt(w.root).length >= 2)
    runner.kill('SIGINT')
    const late = await w.send('coder')
    w.place.file('calm', '')

    await until(async () => (await w.show(quickly.id)).handoff.state === 'in_review')
    assert.equal((await w.show(late.id)).handoff.state, 'offered')
    runner.kill('SIGINT')
    await ended

    assert.deepEqual(programsAt(w.root), [])
    const { handoff } = await w.show(slow.id)
    assert.deepEqual([handoff.state, handoff.attempt], ['offered', 1])
  })

  it('is ended with its runner also when the guard was killed before, with all that it started', async (t) => {
    const w = runnersIn(t, {
      coder: {
        concurrency: 2,
        script: `
          spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' })
          await sleep(60_000)`,
      },
    })
    await w.send('coder')
    const runner = spawn(process.execPath, [BATON, 'run'], {
      cwd: w.root,
      env: cleanEnv(w.where),
      stdio: 'ignore',
    })
    t.after(() => {
      runner.kill('SIGKILL')
      for (const program of programsAt(w.root)) process.kill(program, 'SIGKILL')
    })
    await until(() => programsAt(w.root).length >= 2)
    const guards = guardsAt(w.root)

    for (const guard of guards) process.kill(guard, 'SIGKILL')
    await until(() => guardsAt(w.root).some((guard) => !guards.includes(guard)))
    // The guard has been told of all programs before this one is started.
    await w.send('coder')
    await until(() => programsAt(w.root).length >= 4)
    runner.kill('SIGKILL')

    await until(() => programsAt(w.root).length === 0)
    await until(() => guardsAt(w.root).length === 0)
    assert.equal(guards.length, 1)
  })

  it('that is killed three times, as its runner is, loses no work and does none twice', (t) =>
    killRunners(t, 3))
})

const started = async ({ where }: ReturnType<typeof runnersIn>): Promise<readonly string[]> =>
  (await ask<{ items: { id: string }[] }>(where, 'run', '--dry-run')).items.map(({ id }) => id)

describe('baton run', () => {
  it('carries a result from agent to agent and to a person, each started by the end of the one before', async (t) => {
    const w = runnersIn(t, {
      coder: { script: "console.log('limited in src/limit.ts')" },
      reviewer: { script: "writeFileSync(home + '/review', brief); console.log('it holds')" },
    })
    const then = ['--then', 'reviewer', 'Review it', '--then', 'human', 'Release it']
    const sent = await ask<{ run: string }>(
      w.where,
      ...['send', '--as', 'planner', '--to', 'coder', '--title', 'Limit the API', ...then],
    )

    await w.once()

    const { steps } = await ask<{ steps: { agent: string; state: string }[] }>(
      w.where,
      ...['workflow', 'status', sent.run],
    )
    assert.deepEqual(
      steps.map(({ agent, state }) => [agent, state]),
      [
        ['coder', 'completed'],
        ['reviewer', 'completed'],
        ['human', 'active'],
      ],
    )
    assert.match(w.written('review'), /Title:\n\| Review it[\s\S]*limited in src\/limit\.ts/)
    assert.equal((await refusal(w.where, 'send', '--to', 'coder', '--title', 'X', '--then', 'codex')).exit, 2)
  })

  it('starts nothing by a baton.yaml that was changed or never trusted, nor for an agent', async (t) => {
    const w = runnersIn(t, { coder: { script: "writeFileSync(home + '/ran', '')" } })
    await w.send('coder')
    const settings = join(w.root, 'baton.yaml')
    writeFileSync(settings, w.written('shop/baton.yaml').replace('coder', 'codex'))
    await w.send('codex')
    const trusted = JSON.parse((await quick(w.where, 'run', '--dry-run', '--json')).stdout) as {
      items: { agent: string }[]
    }
    assert.deepEqual(
      trusted.items.map(({ agent }) => agent),
      ['coder'],
    )
    for (const env of [{ BATON_AGENT: 'codex' }, { CLAUDECODE: '1' }])
      assert.equal((await refusal({ ...w.where, env }, 'run', '--once')).code, 'not_allowed')
    assert.equal(existsSync(w.place.path('ran')), false)
  })

  it('starts only for the senders that from: names, and not more often than starts_per_hour says', async (t) => {
    const w = runnersIn(t, {
      coder: {
        ...{ from: ['planner'], starts_per_hour: 2, concurrency: 3 },
        script: "appendFileSync(home + '/ran', brief)",
      },
    })
    await ask(w.where, 'send', '--as', 'stranger', '--to', 'coder', '--title', 'Delete everything')
    for (let i = 0; i < 3; i++) await w.send('coder')

    assert.equal((await w.once()).code, 0)

    assert.equal(w.written('ran').match(/^You are coder/gm)?.length, 2)
    assert.doesNotMatch(w.written('ran'), /stranger/)
  })

  it('counts a restart of refused work as a start, and keeps the work while none is left', async (t) => {
    const w = runnersIn(t, {
      coder: {
        ...{ answer: 'calls', starts_per_hour: 2 },
        script: `
          appendFileSync(home + '/ran', 'x')
          const [id] = /HO-\\d+-\\d+/.exec(brief)
          baton('submit', '@', '--note', 'done')
          if (readFileSync(home + '/ran').length < 4) baton('verify', id, '--fail', 'not yet', '--as', 'planner')`,
      },
    })
    const { id } = await w.send('coder')
    const runner = spawn(process.execPath, [BATON, 'run'], {
      cwd: w.root,
      env: cleanEnv(w.where),
      stdio: 'ignore',
    })
    t.after(() => runner.kill('SIGKILL'))
    const held = async () => (await w.show(id)).handoff
    await until(async () => existsSync(w.place.path('ran')) && w.written('ran').length >= 2)
    await until(async () => (await held()).state === 'in_progress' && programsAt(w.root).length === 0)
    const { lease_until: first = '' } = await held()

    await until(async () => ((await held()).lease_until ?? '') > first)

    assert.deepEqual([w.written('ran'), (await held()).state], ['xx', 'in_progress'])
    runner.kill('SIGKILL')
    await until(async () => (await started(w)).includes(id))
  })

  it('goes on with the work that it can start, also where other work that it holds cannot go on', async (t) => {
    const w = runnersIn(t, {
      coder: { script: "writeFileSync(home + '/seat', process.env.BATON_INSTANCE)" },
    })
    await w.send('coder')
    await w.once()
    const [stuck, ready] = [await w.send('coder'), await w.send('coder')]
    const seat = { ...w.where, env: { BATON_AGENT: 'coder', BATON_INSTANCE: w.written('seat') } }
    for (const { id } of [stuck, ready]) await ask(seat, 'accept', id)
    await ask(seat, 'handoff', 'heartbeat', stuck.id, '--blocked', 'the disk is full')

    await w.once()

    const states = [stuck, ready].map(async ({ id }) => (await w.show(id)).handoff.state)
    assert.deepEqual(await Promise.all(states), ['blocked', 'in_review'])
  })

  it('says for each runner what it lacks', async (t) => {
    const w = runnersIn(t, {
      coder: { env: ['NOT_SET'], script: '' },
      reviewer: { command: ['./gemini'], script: '' },
    })
    chmodSync(w.place.file('shop/gemini', ''), 0o755)
    const problems = async () => {
      const { stdout } = await quick(w.where, 'run', '--doctor', '--json')
      const { runners } = JSON.parse(stdout) as { runners: { problems: string[] }[] }
      return runners.map((runner) => runner.problems)
    }
    const missing = ['NOT_SET of env: is not set here']
    const apart = ['./gemini is not connected to Baton; connect it: baton setup gemini']

    assert.deepEqual(await problems(), [missing, apart])
    await quick(w.where, 'setup', 'gemini', '--yes')
    assert.deepEqual(await problems(), [missing, []])
    await quick(w.where, 'setup', 'gemini', '--remove', '--yes')
    await quick(w.where, 'setup', 'gemini', '--user', '--yes')
    assert.deepEqual(await problems(), [missing, []])
  })

  it('makes no workspace to say what would start', async (t) => {
    const place = folders(t)
    const cwd = place.repository('empty')
    for (const flag of ['--doctor', '--dry-run']) assert.notEqual((await quick({ cwd }, 'run', flag)).code, 0)
    assert.equal(existsSync(join(cwd, '.baton')), false)
  })
})
