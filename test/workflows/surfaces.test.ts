import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, it, type TestContext } from 'node:test'
import { folders } from '../support/documents/folders.ts'
import { ask, BATON, cleanEnv, lines, quick, refusal, type Where } from '../support/program/command.ts'
import { openHttp } from '../support/servers/http-workspace.ts'

const TWO = `name: two
steps:
  - { id: design, agent: architect, gate: { to: human } }
  - { id: build, agent: codex }
`

interface Shown {
  readonly id: string
  readonly state: string
  readonly steps: readonly { readonly id: string; readonly handoff?: string }[]
  readonly waiting_for: readonly { readonly who: string }[]
}

function project(t: TestContext) {
  const cwd = folders(t).repository('shop')
  mkdirSync(join(cwd, 'workflows'))
  writeFileSync(join(cwd, 'workflows', 'two.yaml'), TWO)
  return { cwd }
}

describe('workflows on the command line', () => {
  it('are started, looked at, listed, found by a part of their id and cancelled', async (t) => {
    const where = project(t)

    const run = await ask<Shown>(where, 'workflow', 'start', 'two', '--as', 'orchestrator')
    assert.deepEqual([run.id, run.waiting_for[0]?.who], ['two-1', 'architect'])
    const shown = await quick(where, 'workflow', 'status', '@', '--as', 'orchestrator')
    assert.deepEqual(lines(shown.stdout).slice(1), [
      '1\tdesign\toffered\tarchitect\ttwo-1.design',
      '2\tbuild\twaiting\tcodex\t',
      '! waits for architect: two-1.design',
    ])
    const list = await quick(where, 'workflow', 'list', '--state', 'running', '--as', 'orchestrator')
    assert.match(list.stdout, /^two-1\trunning\t0\/2\torchestrator\t/)
    await ask(where, 'workflow', 'start', 'two', '--as', 'orchestrator')
    const many = await refusal(where, 'workflow', 'status', '@', '--as', 'orchestrator')
    assert.match(many.message, /could be any of 2/)
    assert.equal(
      (await ask<Shown>(where, 'workflow', 'cancel', 'o-1', '--as', 'orchestrator')).state,
      'cancelled',
    )
    assert.equal((await refusal(where, 'workflow', 'status', 'nothing', '--as', 'x')).code, 'not_found')
  })

  it('are checked without being started, with file, line and what to write', async (t) => {
    const where = project(t)
    await ask(where, 'send', '--as', 'x', '--to', 'y', '--title', 'So that there is a workspace')
    writeFileSync(
      join(where.cwd, 'workflows', 'two.yaml'),
      TWO.replace('id: build,', 'id: build, needs: [desing],').replace('gate: {', 'gatte: {'),
    )

    const wrong = await quick(where, 'workflow', 'check', 'two', '--as', 'x')
    writeFileSync(join(where.cwd, 'workflows', 'two.yaml'), TWO)
    const right = await quick(where, 'workflow', 'check', 'two', '--as', 'x')

    assert.deepEqual(
      [wrong.code, ...lines(wrong.stderr)],
      [
        2,
        '✗ workflows/two.yaml:3: there is no field gatte here; did you mean gate?',
        '  workflows/two.yaml:4: build needs desing, and there is no such step; did you mean design?',
      ],
    )
    assert.deepEqual([right.code, lines(right.stdout)[0]], [0, '✓ two can be started: 2 steps'])
  })

  it('are checked and drawn by anybody in an empty folder, and nothing is left there', async (t) => {
    const cwd = folders(t).folder('empty')
    const where = { cwd, env: { CLAUDECODE: '1' } }
    writeFileSync(join(cwd, 'draft.yaml'), TWO)
    writeFileSync(join(cwd, 'wrong.yaml'), TWO.replace('gate: {', 'gatte: {'))

    const right = await quick(where, 'workflow', 'check', 'draft.yaml')
    const shown = await ask<{ name: string; steps: unknown[] }>(where, 'workflow', 'check', './draft.yaml')
    const wrong = await quick(where, 'workflow', 'check', join(cwd, 'wrong.yaml'))
    const ready = await quick(where, 'workflow', 'check', 'phases')
    const drawn = await quick(where, 'workflow', 'picture', 'draft.yaml')

    assert.deepEqual([right.code, lines(right.stdout)[0]], [0, '✓ two can be started: 2 steps'])
    assert.match(right.stderr, /^There is no workspace here/)
    assert.deepEqual([shown.name, shown.steps.length], ['two', 2])
    assert.deepEqual(
      [wrong.code, wrong.stderr],
      [2, `✗ ${join(cwd, 'wrong.yaml')}:3: there is no field gatte here; did you mean gate?\n`],
    )
    assert.deepEqual([ready.code, lines(ready.stdout)[0]], [0, '✓ phases can be started: 8 steps'])
    assert.match(drawn.stdout, /flowchart TB/)
    writeFileSync(
      join(cwd, 'draft.yaml'),
      TWO.replace('id: design,', 'id: design, title: "a\\e[31m\\u202eb",'),
    )
    const hostile = await quick(where, 'workflow', 'picture', 'draft.yaml')
    assert.equal(hostile.code, 0, hostile.stderr)
    for (const hidden of ['\u001b', '\u202e']) assert.ok(!hostile.stdout.includes(hidden))
    assert.deepEqual(readdirSync(cwd).sort(), ['draft.yaml', 'wrong.yaml'])
  })

  it('are started and checked by the path of a file as well, and what is not there is told', async (t) => {
    const where = project(t)
    writeFileSync(join(where.cwd, 'wrong.yaml'), TWO.replace('agent: codex', 'agnt: codex'))
    const start = (...words: string[]) => quick(where, 'workflow', 'start', ...words, '--as', 'orchestrator')

    const run = await ask<Shown>(where, 'workflow', 'start', 'workflows/two.yaml', '--as', 'orchestrator')
    const short = await ask<{ name: string }>(where, 'workflow', 'check', 'two.yaml', '--as', 'x')
    const wrong = await start('wrong.yaml')
    const folder = await start('./workflows')
    const nowhere = await refusal(where, 'workflow', 'start', 'workflows/tow.yaml', '--as', 'x')

    assert.deepEqual([run.id, short.name], ['two-1', 'two'])
    assert.deepEqual([wrong.code, folder.code], [2, 2])
    assert.match(wrong.stderr, /^✗ wrong\.yaml:4: there is no field agnt here; did you mean agent\?/)
    assert.match(folder.stderr, /is not a file; name the YAML file of a workflow/)
    assert.deepEqual(
      [nowhere.code, nowhere.exit, nowhere.message],
      ['not_found', 3, 'there is no file workflows/tow.yaml and no workflow of that name; there is two'],
    )
  })

  it('are drawn as Mermaid and as SVG, as they are defined and as a run stands', async (t) => {
    const where = project(t)
    await ask(where, 'workflow', 'start', 'two', '--as', 'orchestrator')

    const text = await quick(where, 'workflow', 'picture', 'two', '--as', 'x')
    const run = await ask<{ format: string; text: string }>(
      where,
      'workflow',
      'picture',
      '--run',
      '@',
      '--format',
      'svg',
      '--as',
      'x',
    )
    const written = await quick(where, 'workflow', 'picture', 'two', '--out', 'two.svg', '--as', 'x')

    assert.match(
      text.stdout,
      /^---\ntitle: "two"\n---\nflowchart TB\n {2}n1\["1\. design<br\/>architect"\]\n {2}n2\{\{"design<br\/>human"\}\}/,
    )
    assert.match(text.stdout, /n1 --> n2\n {2}n2 --> n3/)
    assert.match(run.text, /^<svg [\s\S]*two-1 · running[\s\S]*class="step active"/)
    assert.equal(written.stdout, '✓ written to two.svg\n')
    assert.match(readFileSync(join(where.cwd, 'two.svg'), 'utf8'), /^<svg /)
    const nowhere = await refusal(
      where,
      'workflow',
      'picture',
      'two',
      '--out',
      'no/folder/two.svg',
      '--as',
      'x',
    )
    assert.equal(nowhere.code, 'invalid_input')
  })

  it("[S2-54] are written for document 002's phases by init, and never over a file", async (t) => {
    const where = project(t)

    const made = await quick(where, 'workflow', 'init', 'feature')
    const again = await refusal(where, 'workflow', 'init', 'feature')
    const run = await ask<Shown>(where, 'workflow', 'start', 'feature', '--as', 'orchestrator')

    assert.equal(made.stdout, "✓ written to workflows/feature.yaml; put your agents' names in\n")
    assert.deepEqual([again.code, again.exit], ['conflict', 6])
    assert.equal(run.steps.length, 8)
    assert.equal((await refusal(where, 'workflow', 'init', 'Not A Name')).code, 'invalid_input')
    assert.ok(!existsSync(join(where.cwd, 'workflows', 'Not A Name.yaml')))
  })
})

describe('workflows over HTTP', () => {
  it('are started by their text, looked at and refused with every problem', async (t) => {
    const { request, token } = await openHttp(t)
    const authorization = `Bearer ${await token('orchestrator')}`
    const post = (path: string, body: object) =>
      request(path, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })

    const started = await post('/v1/workflows', { definition: TWO })
    const bad = await post('/v1/workflows', { definition: TWO.replace('agent: codex', 'agnt: codex') })
    const looked = await request('/v1/workflows/two-1', { headers: { authorization } })

    assert.equal(started.status, 200)
    assert.equal(((await looked.json()) as Shown).state, 'running')
    assert.equal(bad.status, 400)
    const problem = (await bad.json()) as {
      details: { problems: readonly { line: number; column: number }[] }
    }
    assert.deepEqual([problem.details.problems[0]?.line, problem.details.problems[0]?.column], [4, 18])
  })
})

describe('workflows with BATON_URL', () => {
  async function serve(
    t: TestContext,
    where: Where,
  ): Promise<{ readonly url: string; readonly server: ChildProcess }> {
    const server = spawn(process.execPath, [BATON, 'serve', '--port', '0', '--json'], {
      cwd: where.cwd,
      env: cleanEnv(where),
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    t.after(() => server.kill('SIGKILL'))
    const [line] = await once(createInterface({ input: server.stdout! }), 'line')
    return { url: (JSON.parse(line) as { url: string }).url, server }
  }

  it('take the definition from the files of the caller, and go on with the next server when one is killed', async (t) => {
    const where = project(t)
    const elsewhere = folders(t).repository('other')
    mkdirSync(join(elsewhere, 'workflows'))
    writeFileSync(
      join(elsewhere, 'workflows', 'mine.yaml'),
      'name: mine\nsteps:\n  - { id: a, agent: codex }\n  - { id: b, agent: codex }\n',
    )
    await ask(where, 'send', '--as', 'x', '--to', 'y', '--title', 'So that there is a workspace')
    const tokens = new Map<string, string>()
    for (const agent of ['orchestrator', 'codex']) {
      const { secret } = await ask<{ secret: string }>(
        where,
        'token',
        'create',
        '--agent',
        agent,
        '--scope',
        '*',
      )
      tokens.set(agent, secret)
    }
    const first = await serve(t, where)
    const as = (name: string, url: string): Where => ({
      cwd: elsewhere,
      env: { BATON_URL: url, BATON_TOKEN: tokens.get(name) ?? '' },
    })

    const run = await ask<Shown>(as('orchestrator', first.url), 'workflow', 'start', 'mine')
    await ask(as('codex', first.url), 'accept', '@')
    await ask(as('codex', first.url), 'submit', '@', '--note', 'Done')
    first.server.kill('SIGKILL')
    await once(first.server, 'close')
    const second = await serve(t, where)
    await ask(as('orchestrator', second.url), 'verify', `${run.id}.a`, '--pass')

    const now = await ask<Shown>(as('orchestrator', second.url), 'workflow', 'status', '@')
    assert.deepEqual(
      [now.state, now.steps.map(({ handoff }) => handoff)],
      ['running', [`${run.id}.a`, `${run.id}.b`]],
    )
    const text = await quick(as('codex', second.url), 'workflow', 'picture', 'mine')
    assert.match(text.stdout, /flowchart TB/)
  })
})
