import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { ask, baton, quick } from '../support/program/command.ts'
import { programsAt, runnersIn, type Shown, until } from '../support/program/runners.ts'
import { startServer } from '../support/servers/servers.ts'
import { newDatabase } from '../support/store/store-places.ts'

describe('baton run on several machines', () => {
  it('takes the work of its tokens from a server, and gives each program the token of its own agent', async (t) => {
    const office = runnersIn(t, {})
    const token = async (agent: string) =>
      (await ask<{ secret: string }>(office.where, 'token', 'create', '--agent', agent, '--scope', '*'))
        .secret
    const [coder, reviewer] = [await token('coder'), await token('reviewer')]
    const { url } = await startServer(t, office.where)
    const machine = runnersIn(
      t,
      {
        coder: {
          answer: 'calls',
          script: "baton('submit', '@', '--note', JSON.parse(baton('whoami', '--json')).actor.name)",
        },
        reviewer: {
          worktree: true,
          script: "commit('review.md', 'it holds'); console.log(process.env.BATON_TOKEN)",
        },
      },
      { env: { BATON_URL: url, BATON_TOKEN: `${coder},${reviewer}` } },
    )
    const [coded, reviewed] = [
      await office.send('coder'),
      await office.send('reviewer', '--deliverable', 'Review'),
    ]

    const { code, stderr } = await machine.once()

    assert.equal(code, 0, stderr)
    const [first, second] = [await office.show(coded.id), await office.show(reviewed.id)]
    assert.deepEqual([first.handoff.state, first.result?.note], ['in_review', 'coder'])
    assert.equal(second.handoff.state, 'in_review')
    assert.match(second.result?.evidence?.[0]?.evidence ?? '', /^commit \w+ on baton\/reviewer\//)
    assert.equal(second.result?.note, '[BATON_TOKEN]')
    const lacking = { ...machine.where, env: { BATON_URL: url, BATON_TOKEN: coder } }
    assert.match((await quick(lacking, 'run', '--doctor')).stdout, /holds no token of reviewer/)
  })

  it('starts each handoff once, with four of them on two machines and one PostgreSQL', async (t) => {
    const env = { BATON_STORE: await newDatabase() }
    const script = `
      while (!existsSync(home + '/calm')) await sleep(50)
      appendFileSync(home + '/done', /HO-\\d+-\\d+/.exec(brief)[0] + '\\n')`
    const machines = [false, true].map((isSecond) =>
      runnersIn(t, { coder: { concurrency: 2, script } }, { env, isStoreOfOthers: isSecond }),
    )
    const [one] = machines as [(typeof machines)[0]]
    const sent = await Promise.all(Array.from({ length: 12 }, () => one.send('coder').then(({ id }) => id)))

    const ran = machines.flatMap(({ where }) => [0, 1].map(() => baton(where, 'run', '--once')))
    // Each of the four holds two, and takes no third.
    await until(() => machines.every(({ root }) => programsAt(root).length >= 4))
    await sleep(1_000)
    const running = machines.map(({ root }) => programsAt(root).length)
    for (const { place } of machines) place.file('calm', '')
    const ended = await Promise.all(ran)
    assert.deepEqual(running, [4, 4])

    assert.deepEqual(
      ended.map(({ code, stderr }) => [code, stderr]),
      ended.map(({ stderr }) => [0, stderr]),
    )
    const started = machines.flatMap(({ written }) => written('done').trim().split('\n'))
    assert.deepEqual(started.sort(), sent.toSorted())
    const { items } = await ask<{ items: Shown[] }>(one.where, 'handoff', 'list', '--limit', '50')
    assert.deepEqual(
      items.map(({ state, attempts }) => [state, attempts.length]),
      sent.map(() => ['in_review', 1]),
    )
  })
})
