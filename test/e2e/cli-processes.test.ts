import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { folders } from '../support/documents/folders.ts'
import { type Answer, ask, BATON, baton, cleanEnv, type Where } from '../support/program/command.ts'

const PROCESSES = 10
const ITEMS = 60
const ROUNDS = 10

/** What a loser may be told: that it came late, in one sentence of ours. */
function demandCleanLosers(losers: readonly Answer[]): void {
  for (const { code, stdout, stderr } of losers) {
    assert.ok(code === 4 || code === 5 || code === 6, `${code}: ${stderr}`)
    assert.equal(stdout, '')
    assert.match(stderr, /^✗ [^\n]+\n$/)
    assert.doesNotMatch(stderr, /SQLITE|database is locked|constraint/i)
  }
}

it('a server ends when the launcher that an old Node runs is killed', async (t) => {
  const { repository, path } = folders(t)
  const cwd = repository('shop')
  const old = path('old-node.cjs')
  writeFileSync(old, "Object.defineProperty(process, 'versions', { value: { node: '20.0.0' } })")
  const launcher = spawn(process.execPath, ['--require', old, BATON, 'serve', '--port', '0', '--json'], {
    cwd,
    env: cleanEnv({ cwd }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const signal = AbortSignal.timeout(60_000)
  const ended = once(launcher.stderr.setEncoding('utf8'), 'close', { signal })
  let said = ''
  const listening = new Promise<string>((done) =>
    launcher.stderr.on('data', (text: string) => {
      said += text
      const url = /http:\/\/[\d.:]+/.exec(said)?.[0]
      if (url) done(url)
    }),
  )
  const url = await listening
  assert.equal((await fetch(`${url}/healthz`)).status, 200)
  const { pid } = JSON.parse(readFileSync(join(cwd, '.baton/server.json'), 'utf8'))
  t.after(() => signal.aborted && process.kill(pid))

  launcher.kill('SIGKILL')

  // The server has the other end of this pipe as well.
  await ended
  await assert.rejects(fetch(`${url}/healthz`))
})

describe(`${PROCESSES} processes at once`, () => {
  it(`make one workspace and keep ${ITEMS} of ${ITEMS} handoffs, each with an id of its own`, async (t) => {
    const where = { cwd: folders(t).repository('shop') }
    const writer = async (name: string): Promise<Answer[]> => {
      const answers: Answer[] = []
      for (let i = 0; i < ITEMS / PROCESSES; i++)
        answers.push(
          await baton(where, 'create', '--to', 'codex', '--title', `${name} ${i}`, '--as', name, '--json'),
        )
      return answers
    }

    const answers = (
      await Promise.all(Array.from({ length: PROCESSES }, (_, i) => writer(`agent-${i}`)))
    ).flat()

    assert.deepEqual(
      answers.map(({ code, stderr }) => (code === 0 ? 0 : stderr)),
      Array(ITEMS).fill(0),
    )
    const ids = answers.map(({ stdout }) => JSON.parse(stdout).handoff.id)
    assert.equal(new Set(ids).size, ITEMS)
    const { items } = await ask<{ items: { id: string }[] }>(where, 'handoff', 'list', '--limit', '200')
    assert.deepEqual(items.map(({ id }) => id).sort(), [...ids].sort())
    assert.equal(answers.filter(({ stderr }) => stderr.includes('created workspace')).length, 1)
    assert.equal((await ask<{ ok: boolean }>(where, 'doctor')).ok, true)
  })

  it(`have one winner for each claim, in ${ROUNDS} of ${ROUNDS} rounds`, async (t) => {
    const where = { cwd: folders(t).repository('shop') }
    await ask(where, 'task', 'create', 'P0', '--title', 'Warm up')

    for (let round = 1; round <= ROUNDS; round++) {
      const race = round % 2 === 0 ? await taskRace(where, round) : await handoffRace(where)
      const winners = race.filter(({ code }) => code === 0)
      assert.equal(winners.length, 1, race.map(({ stderr }) => stderr).join(''))
      demandCleanLosers(race.filter(({ code }) => code !== 0))
    }
  })
})

async function taskRace(where: Where, round: number): Promise<Answer[]> {
  await ask(where, 'task', 'create', `T${round}`, '--title', 'Once')
  return Promise.all(
    Array.from({ length: PROCESSES }, (_, i) =>
      baton(where, 'task', 'start', `T${round}`, '--as', `agent-${i}`),
    ),
  )
}

async function handoffRace(where: Where): Promise<Answer[]> {
  const { handoff } = await ask<{ handoff: { id: string } }>(
    where,
    'send',
    '--to',
    'codex',
    '--title',
    'Once',
  )
  return Promise.all(
    Array.from({ length: PROCESSES }, () => baton(where, 'accept', handoff.id, '--as', 'codex')),
  )
}
