import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { git } from '../documents/folders.ts'
import { BATON, cleanEnv } from './command.ts'
import { programsAt, runnersIn, until } from './runners.ts'

const EACH = 4

/** Ends the runner or a program of it at random; then lets it finish and looks at everything. */
export async function killRunners(t: TestContext, times: number): Promise<void> {
  const w = runnersIn(t, {
    coder: {
      concurrency: 2,
      worktree: true,
      starts_per_hour: 10_000,
      script: `
        const id = /HO-\\d+-\\d+/.exec(brief)[0]
        while (!existsSync(home + '/calm')) await sleep(20)
        commit('done.txt', id)
        appendFileSync(home + '/done', id + '\\n')`,
    },
  })
  const ids = await Promise.all(
    Array.from({ length: EACH }, () =>
      w.send('coder', '--retry', '{"max":100,"delay_s":0,"multiplier":1}').then(({ id }) => id),
    ),
  )
  let runner: ChildProcess | undefined
  const start = (): void => {
    runner = spawn(process.execPath, [BATON, 'run'], { cwd: w.root, env: cleanEnv(w.where), stdio: 'ignore' })
  }
  t.after(() => runner?.kill('SIGKILL'))
  start()
  for (let kill = 0; kill < 2 * times; kill++) {
    await until(() => programsAt(w.root).length > 0)
    const [program = 0] = programsAt(w.root)
    if (kill % 2 === 0) {
      runner!.kill('SIGKILL')
      await once(runner!, 'exit')
      await until(() => programsAt(w.root).length === 0)
      start()
    } else {
      process.kill(program, 'SIGKILL')
      await until(() => !programsAt(w.root).includes(program))
    }
  }
  w.place.file('calm', '')
  const states = () => Promise.all(ids.map(async (id) => (await w.show(id)).handoff.state))
  await until(async () => (await states()).every((state) => state === 'in_review'))
  assert.deepEqual(w.written('done').trim().split('\n').sort(), ids.toSorted())
  for (const id of ids) {
    const branch = `baton/coder/${id.toLowerCase()}`
    assert.equal(git(w.root, 'rev-list', '--count', `HEAD..${branch}`).trim(), '1', id)
    await w.pass(id)
  }
  runner!.kill('SIGINT')
  await once(runner!, 'exit')
  await w.once()
  assert.deepEqual(programsAt(w.root), [])
  assert.equal(existsSync(join(w.root, '.worktrees/coder', ids[0]!.toLowerCase())), false)
  const left = git(w.root, 'worktree', 'list', '--porcelain')
  assert.equal(left.match(/^worktree /gm)?.length, 1, left)
}
