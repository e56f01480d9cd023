import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { createService, openStore } from '../../src/compose/main.ts'
import { folders } from '../support/documents/folders.ts'
import { ask, baton, lines, onTerminal, trusted } from '../support/program/command.ts'
import { by, person } from '../support/program/workspace.ts'
import { newDatabase } from '../support/store/store-places.ts'

const DAY_MS = 86_400_000
const me = person(userInfo().username)
const [codex, gemini] = [by('codex'), by('gemini')]
/** The day that is Friday on a Monday, so that the journey is the same on each day of the week. */
const friday = new Date(Date.now() - 3 * DAY_MS).toLocaleDateString('en', { weekday: 'long' }).toLowerCase()

/** Twelve handoffs of last week: one is done, one expires, one asks, one is rejected, one is open, the others are cancelled. */
async function lastWeek(t: TestContext) {
  const cwd = folders(t).repository('shop')
  await ask({ cwd }, 'agent', 'add', 'codex')
  let now = new Date(Date.now() - 5 * DAY_MS)
  const store = await openStore({ engine: 'sqlite', path: join(cwd, '.baton', 'baton.db') })
  const { sending, receiving, closing } = createService(store, { now: () => now })
  const ids: string[] = []
  const send = async (to: string, title: string, more = {}) => {
    const { handoff } = await sending.send(me, { to, title, ...more })
    ids.push(handoff.id)
    return handoff.uid
  }
  const filler = async (upTo: number) => {
    while (ids.length < upTo) await sending.cancel(me, await send('gemini', 'Not needed'))
  }

  const done = await send('codex', 'Limit the old API', { summary: 'One token bucket for everybody' })
  await receiving.accept(codex, done)
  await receiving.submit(codex, done, { note: 'done' })
  await closing.verify(me, done, { pass: true })
  now = new Date(Date.now() - 2.5 * DAY_MS)
  await filler(6)
  await send('codex', 'Add limits', {
    priority: 'high',
    summary: 'A token bucket for each key',
    deliverables: [{ item: 'Middleware in src/' }],
    criteria: ['npm test passes'],
  })
  await filler(9)
  now = new Date(Date.now() - DAY_MS / 8)
  const asking = await send('codex', 'Write the page')
  await receiving.accept(codex, asking)
  await receiving.ask(codex, asking, 'In which language?')
  const refused = await send('gemini', 'Deploy it')
  await receiving.reject(gemini, refused, { type: 'other', message: 'no access to the server' })
  await send('codex', 'Make it fast', { criteria: ['npm test passes'] })
  await store.close()
  // Numbers begin again with a year; then they name no handoff alone.
  const isOneYear = ids.every((id) => id.slice(0, -3) === ids[0]!.slice(0, -3))
  return { cwd, ids, short: (n: number) => (isOneYear ? String(n) : ids[n - 1]!) }
}

describe('J19, Monday morning on the command line', () => {
  it('finds what is stuck, sends the expired one again, finds and edits', async (t) => {
    const where = await lastWeek(t)
    const { ids, short } = where
    const [done, expired, asks, rejected, open] = [1, 7, 10, 11, 12].map((n) => ids[n - 1]!)

    for (const columns of [80, 120]) {
      const { shown } = onTerminal(where, ['status'], { columns })
      const stuck = shown.split('Handoffs')[0]!.replaceAll(/\s+/g, ' ')
      for (const seen of [
        `${expired} codex 36 h ago`,
        'Add limits: nobody took it in time',
        `baton resend ${expired}`,
        `${asks} ${me.actor.name} 3 h ago`,
        'Write the page: In which language?',
        `baton answer ${asks} "…"`,
        `${rejected} gemini 3 h ago`,
        'Deploy it: no access to the server',
        `baton resend ${rejected}`,
      ])
        assert.ok(stuck.includes(seen), `${seen} in:\n${shown}`)
      assert.equal(new Set(stuck.match(/\S+-\d{4}-\d+/g)).size, 3, shown)
      const wide = lines(shown).filter((line) => line.length > columns && !line.includes(where.cwd))
      assert.deepEqual(wide, [])
    }

    const resent = await baton(where, 'resend', short(7), '--to', 'claude')
    const again = /^✓ (\S+) to claude, waiting to be accepted\n/.exec(resent.stdout)?.[1]
    assert.ok(again, resent.stderr)
    const [old, copy] = [await ask<Shown>(where, 'show', expired!), await ask<Shown>(where, 'show', again)]
    assert.deepEqual(copy.package, old.package)
    assert.deepEqual(copy.package.criteria, ['npm test passes'])
    assert.deepEqual(
      [old.handoff.state, old.handoff.superseded_by, copy.handoff.supersedes, copy.handoff.priority],
      ['expired', again, old.handoff.uid, 'high'],
    )
    assert.equal((await baton(where, 'status')).stdout.includes(expired!), false)

    const found = async (...since: string[]) => {
      const { stdout } = await baton(where, 'list', 'token bucket', ...since)
      return [...new Set(stdout.match(/[A-Z]+-\d{4}-\d+/g))].sort()
    }
    assert.deepEqual(await found(), [done, expired, again])
    assert.deepEqual(await found('--since', friday), [expired, again])

    const edited = await baton(where, 'edit', short(12), '--add-criterion', 'p95 under 200 ms')
    assert.match(edited.stdout, /^✓ .*\n {2}\+ criteria: p95 under 200 ms\n$/, edited.stderr)
    const { criteria } = (await ask<Shown>(where, 'show', open!)).package
    assert.deepEqual(criteria, ['npm test passes', 'p95 under 200 ms'])
  })

  it('moves the store to PostgreSQL and says what comes next, which works as it says', async (t) => {
    const where = await lastWeek(t)
    const url = await newDatabase()
    const before = (await baton(where, 'list', '--json')).stdout

    const moved = await baton(where, 'store', 'move', '--to', url)

    assert.equal(moved.code, 0, moved.stderr)
    assert.match(
      moved.stdout,
      /takes no more writes and can still be read\nNext: name the new store as store in baton\.yaml/,
    )
    const late = await baton(where, 'send', '--to', 'codex', '--title', 'Too late')
    assert.equal(late.code, 17)
    assert.match(late.stderr, /was copied to .* takes no more writes/)
    writeFileSync(join(where.cwd, 'baton.yaml'), `store: ${url}\n`)
    trusted(where)
    assert.equal((await baton(where, 'list', '--json')).stdout, before)
    assert.match((await baton(where, 'status')).stdout, /\tgemini\t[\s\S]*\(PostgreSQL\)/)
    const sent = await baton(where, 'send', '--to', 'codex', '--title', 'Goes on')
    assert.match(sent.stdout, /^✓ \S+ to codex/, sent.stderr)
  })
})

interface Shown {
  readonly handoff: Readonly<Record<string, string>>
  readonly package: { readonly criteria: readonly string[] }
}
