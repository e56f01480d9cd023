import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { git } from '../support/documents/folders.ts'
import { ask } from '../support/program/command.ts'
import { runnersIn, type Shown, until } from '../support/program/runners.ts'
import { startServer } from '../support/servers/servers.ts'

describe('baton run in an odd moment', { concurrency: 2 }, () => {
  it('starts the program for work whose title is a word of the protocol', async (t) => {
    const w = runnersIn(t, { coder: { script: "console.log('done')" } })
    const named = ['send', '--as', 'planner', '--to', 'coder', '--title', 'partial', '--home', 'package']
    const whole = ['--summary', 'A part of the limits is there; do the rest.', '--deliverable', 'Middleware']
    const { handoff } = await ask<{ handoff: Shown }>(w.where, ...named, ...whole)

    const { code, stderr } = await w.once()

    assert.deepEqual([code, (await w.show(handoff.id)).handoff.state], [0, 'completed'], stderr)
  })

  it('removes the worktree in the end that a runner was killed in the middle of making', async (t) => {
    const w = runnersIn(t, { coder: { worktree: true, script: "commit('limit.ts', '1')" } })
    const { id } = await w.send('coder')
    const path = `.worktrees/coder/${id.toLowerCase()}`
    git(w.root, 'worktree', 'add', '-q', '-b', `baton/coder/${id.toLowerCase()}`, path)
    w.place.file('shop/.worktrees/.gitignore', '*\n')

    await w.once()
    await w.pass(id)
    await w.once()

    assert.equal(existsSync(join(w.root, path)), false)
  })

  it('keeps out of the branch of other work that had the same number in another store', async (t) => {
    const w = runnersIn(t, { coder: { worktree: true, script: "console.log('nothing to commit')" } })
    const { id } = await w.send('coder', '--deliverable', 'Middleware')
    const branch = `baton/coder/${id.toLowerCase()}`
    const other = join(w.root, '.worktrees/coder', id.toLowerCase())
    git(w.root, 'worktree', 'add', '-q', '-b', branch, other)
    git(w.root, 'config', `branch.${branch}.description`, '01900000-0000-7000-8000-000000000000')
    const person = ['-c', 'user.name=P', '-c', 'user.email=p@example.com']
    git(other, ...person, 'commit', '-q', '--allow-empty', '-m', 'of the other work')
    w.place.file('shop/.worktrees/.gitignore', '*\n')

    await w.once()

    const { handoff, result } = await w.show(id)
    const evidence = result?.evidence?.[0]?.evidence ?? ''
    assert.deepEqual([handoff.state, /^log of the program/.test(evidence)], ['in_review', true], evidence)
  })

  it('hands in what a program did while the server was away', async (t) => {
    const office = runnersIn(t, {})
    const token = ['token', 'create', '--agent', 'coder', '--scope', '*']
    const { secret } = await ask<{ secret: string }>(office.where, ...token)
    const { url, port, child } = await startServer(t, office.where)
    const machine = runnersIn(
      t,
      {
        coder: {
          script: `
            writeFileSync(home + '/begun', '')
            while (!existsSync(home + '/away')) await sleep(50)
            console.log('done')
            writeFileSync(home + '/ended', '')`,
        },
      },
      { env: { BATON_URL: url, BATON_TOKEN: secret } },
    )
    const { id } = await office.send('coder')
    const ran = machine.once()
    await until(() => existsSync(machine.place.path('begun')))
    child.kill('SIGKILL')
    await once(child, 'exit')
    machine.place.file('away', '')
    await until(() => existsSync(machine.place.path('ended')))
    await sleep(1_500)
    await startServer(t, office.where, '--port', String(port))

    assert.equal((await ran).code, 0)
    const { handoff, result } = await office.show(id)
    assert.deepEqual([handoff.state, result?.note, handoff.error], ['in_review', 'done', undefined])
  })
})
