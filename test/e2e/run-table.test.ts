import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { widthOf } from '../../src/transports/cli/screen/width.ts'
import { ask, baton } from '../support/program/command.ts'
import { programsAt, runnersIn, type Shown, until } from '../support/program/runners.ts'
import { watchedTerminal } from '../support/program/watched-terminal.ts'

const TITLE = 'Limit the requests of one caller to a hundred a minute, on every page of the shop'
const HINT = 'Ctrl-C stops starting, a second one ends what runs'
const MADE = '✓ created workspace .baton/ (SQLite)'
const CTRL_C = '\u0003'

describe('the table of baton run on a terminal of 80 columns', () => {
  it('redraws a row for each program in place, leaves results above, and goes on after the first Ctrl-C', async (t) => {
    const w = runnersIn(t, {
      coder: { script: "while (!existsSync(home + '/go')) await sleep(20); console.log('limited')" },
      // Its folder makes the row wider than the terminal.
      'quality-agent': { worktree: true, script: 'await sleep(60_000)' },
    })
    const send = async (to: string, title: string) =>
      (await ask<{ handoff: Shown }>(w.where, 'send', '--as', 'planner', '--to', to, '--title', title))
        .handoff
    const stateOf = async ({ id }: Shown) => (await w.show(id)).handoff.state
    const person = watchedTerminal(t, w.where, ['run'], 80)
    const seen = () => person.lines().map((line) => line.replace(/working \d\d:\d\d/, 'working mm:ss'))
    const stands = async (...expected: readonly string[]) => {
      const holds = () => isDeepStrictEqual(seen(), [...expected, ''])
      await until(holds, 600).catch(() => assert.deepEqual(seen(), [...expected, '']))
    }
    const longest = () =>
      Math.max(-1, ...person.lines().map((line) => Number(/working 00:(\d\d)/.exec(line)?.[1] ?? -1)))
    const redrawn = async () => {
      const before = longest()
      await until(() => longest() >= before + 2, 600)
    }
    const widest = (from = 0) =>
      Math.max(
        ...person
          .sent()
          .slice(from)
          .split(/[\r\n]+/)
          .map(widthOf),
      )

    const told = [MADE, `waiting for work; ${HINT}`]
    await stands(...told)
    const first = await send('coder', TITLE)
    await redrawn()
    told.push(`  coder  ${first.id}  Limit the requests of one caller to a hundred…   started .`)
    await stands(...told, `  coder  ${first.id}  Limit the requests of one caller to a h…  working mm:ss  .`)

    const second = await send('quality-agent', 'Review it')
    await redrawn()
    const folder = `.worktrees/quality-agent/${second.id.toLowerCase()}`
    const below = ' '.repeat(17)
    told.push(`  quality-agent  ${second.id}  started ${folder}`, `${below}Review it`)
    const wide = [
      `${`  quality-agent  ${second.id}  working mm:ss  ${folder}`.slice(0, 79)}…`,
      `${below}Review it`,
    ]
    const both = [
      `  coder          ${first.id}  working mm:ss  .`,
      `${below}Limit the requests of one caller to a hundred a minute, on`,
      `${below}every page of the shop`,
      ...wide,
    ]
    await stands(...told, ...both)

    person.type(CTRL_C)
    const late = await send('coder', 'Too late')
    await redrawn()
    await stands(...told, ...both)
    w.place.file('go', '')
    told.push(`  coder  ${first.id}  Limit the requests of one caller to a…  ended, exit code 0`)
    await stands(...told, ...wide)
    await until(async () => (await stateOf(first)) === 'in_review')
    assert.equal(await stateOf(late), 'offered')
    assert.equal(widest(), 80)

    person.resize(60)
    await redrawn()
    const narrow = person.sent().length
    await redrawn()
    assert.equal(widest(narrow), 60)

    person.type(CTRL_C)
    assert.equal(await person.ended(), 0)
    await stands(...told, `  quality-agent  ${second.id}  Review it  ended, stopped`)
    assert.deepEqual([await stateOf(second), await stateOf(late)], ['offered', 'offered'])
    assert.deepEqual(programsAt(w.root), [])
  })

  it('is announced by --once as a run that ends by itself', async (t) => {
    const w = runnersIn(t, { coder: { script: "console.log('done')" } })

    const { code, stderr } = await baton(w.where, 'run', '--once')

    assert.deepEqual([code, stderr], [0, `${MADE}\nstarting the offered work; ${HINT}\n`])
  })
})
