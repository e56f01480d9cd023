import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, it } from 'node:test'
import { parse } from 'yaml'
import type { Collected } from '../../src/domain/blocks/block.ts'
import { collect } from '../../src/transports/cli/commands/blocks/collect.ts'
import { optionsOf } from '../../src/transports/cli/input/args.ts'
import { summary } from '../support/documents/blocks.ts'
import { folders } from '../support/documents/folders.ts'
import { ask, BATON, cleanEnv, quick, type Where } from '../support/program/command.ts'
import { openHttp } from '../support/servers/http-workspace.ts'

describe('blocks over HTTP', () => {
  it('[S2-72] [S2-77] are stored for whoever the token is of, and measured', async (t) => {
    const w = await openHttp(t)
    const token = await w.token('ci')
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const body = JSON.stringify({
      documents: [{ path: 'a.md', text: summary({ metrics: { tests_passed: 3 } }) }],
    })

    const collected = await w.request('/v1/documents/collect', { method: 'POST', headers, body })
    const metrics = await w.request('/v1/reports/metrics?by=phase', { headers })
    const history = await w.request('/v1/reports/history?agent=tester', { headers })

    const { blocks } = (await collected.json()) as Collected
    assert.deepEqual(
      [collected.status, blocks[0]?.outcome, blocks[0]?.verdict],
      [200, 'recorded', 'complete'],
    )
    const { groups } = (await metrics.json()) as { groups: { key: string; metrics: { sum: number }[] }[] }
    assert.deepEqual([groups[0]?.key, groups[0]?.metrics[0]?.sum], ['Testing', 3])
    const { items } = (await history.json()) as { items: { by: string; from: string }[] }
    assert.deepEqual(
      items.map(({ by, from }) => [by, from]),
      [['ci', 'tester']],
    )
  })

  it('are reported as invalid where a text holds half of a character, and the others are stored', async (t) => {
    const w = await openHttp(t)
    const headers = { authorization: `Bearer ${await w.token('ci')}`, 'content-type': 'application/json' }
    const escaped = summary({}).replace('"None"', '"None"\n  metrics: {note: "\\ud800"}')
    const texts = [escaped, summary({})]
    const body = JSON.stringify({ documents: texts.map((text, i) => ({ path: `${i}.md`, text })) })

    const answer = await w.request('/v1/documents/collect', { method: 'POST', headers, body })

    const { blocks } = (await answer.json()) as Collected
    assert.deepEqual(
      blocks.map(({ outcome, diagnostics }) => [outcome, diagnostics[0]?.code, diagnostics[0]?.line]),
      [
        ['invalid', 'lone_surrogate', 8],
        ['recorded', undefined, undefined],
      ],
    )
  })

  it('are refused for a token that may only read', async (t) => {
    const w = await openHttp(t)
    const token = await w.token('ci', ['document:read', 'report:read'])
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }

    const { status } = await w.request('/v1/documents/collect', {
      method: 'POST',
      headers,
      body: JSON.stringify({ documents: [{ text: summary({}) }] }),
    })

    assert.equal(status, 403)
  })
})

describe('baton collect with BATON_URL', () => {
  it('[S2-78] stores through a server, as CI does with a token, each block once', async (t) => {
    const place = folders(t)
    const where: Where = { cwd: place.repository('shop') }
    const server = spawn(process.execPath, [BATON, 'serve', '--port', '0', '--json'], {
      cwd: where.cwd,
      env: cleanEnv(where),
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    t.after(() => server.kill('SIGKILL'))
    const [line] = await once(createInterface({ input: server.stdout }), 'line')
    const scopes = ['--scope', 'document:write', '--scope', 'report:read']
    const { secret } = await ask<{ secret: string }>(where, 'token', 'create', '--agent', 'ci', ...scopes)
    const env = { BATON_URL: JSON.parse(line).url as string, BATON_TOKEN: secret, CI: 'true' }
    const job: Where = { cwd: place.folder('job'), env }
    place.file(
      'job/reports/a.md',
      summary({ status: 'failed', task: 'task-1', on_failure: { notify: '@lead' } }),
    )

    const first = await quick(job, 'collect', 'reports', '--source', 'run 1')
    const second = await quick(job, 'collect', 'reports', '--source', 'run 1', '--json')
    const { items } = await ask<{ items: { by: string; source: string }[] }>(job, 'report', 'history')

    assert.deepEqual([first.code, second.code], [1, 1])
    assert.match(first.stdout, /lead was told/)
    assert.deepEqual(JSON.parse(second.stdout).blocks[0].outcome, 'unchanged')
    assert.deepEqual(
      items.map(({ by, source }) => [by, source]),
      [['ci', 'run 1:reports/a.md']],
    )
  })
})

describe('the example for GitHub Actions', () => {
  it('[S2-78] calls the command with options that it has', () => {
    const file = resolve(import.meta.dirname, '../../examples/github-actions/collect.yml')
    const { jobs } = parse(readFileSync(file, 'utf8')) as { jobs: { collect: { steps: { run?: string }[] } } }

    const runs = jobs.collect.steps
      .flatMap(({ run }) => run ?? [])
      .filter((line) => line.includes('baton collect'))
    assert.equal(runs.length, 2)
    const known = new Set(['no-install', ...optionsOf(collect).map(({ name }) => name)])
    for (const line of runs)
      for (const [, flag = ''] of line.matchAll(/--([a-z-]+)/g)) assert.ok(known.has(flag), flag)
  })
})
