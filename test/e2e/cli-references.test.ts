import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Handoff } from '../../src/domain/handoffs/handoff.ts'
import { packageDocument } from '../support/documents/documents.ts'
import { folders } from '../support/documents/folders.ts'
import { ask, baton, quick, refusal, type Where } from '../support/program/command.ts'

interface Sent {
  readonly handoff: Pick<Handoff, 'id' | 'uid' | 'state' | 'to'>
}

const here = (t: Parameters<typeof folders>[0]): Where => ({ cwd: folders(t).repository('shop') })
const send = async (where: Where, ...more: string[]): Promise<Sent['handoff']> =>
  (await ask<Sent>(where, 'send', '--to', 'codex', '--title', 'Add limits', ...more)).handoff

describe('@, the only one that fits', () => {
  it('follows the verb and the caller through a whole life', async (t) => {
    const where = here(t)
    const { id } = await ask<Sent>(where, 'create', '--to', 'codex', '--title', 'Add limits').then(
      ({ handoff }) => handoff,
    )
    const state = async (...argv: string[]) => {
      const { handoff } = await ask<Sent>(where, ...argv)
      return [handoff.id, handoff.state]
    }

    assert.equal((await ask<Sent>(where, 'send', '@')).handoff.id, id)
    assert.deepEqual(await state('ask', '@', 'Which keys?', '--as', 'codex'), [id, 'needs_input'])
    assert.deepEqual(await state('answer', '@', 'All of them'), [id, 'offered'])
    assert.deepEqual(await state('accept', '@', '--as', 'codex'), [id, 'in_progress'])
    assert.deepEqual(await state('handoff', 'heartbeat', '@', '--progress', '40', '--as', 'codex'), [
      id,
      'in_progress',
    ])
    assert.deepEqual(await state('submit', '@', '--as', 'codex', '--note', 'Done'), [id, 'in_review'])
    assert.deepEqual(await state('verify', '@', '--fail', '-m', 'no tests'), [id, 'in_progress'])
    assert.deepEqual(await state('submit', '@', '--as', 'codex', '--note', 'tests'), [id, 'in_review'])
    assert.deepEqual(await state('verify', '@', '--pass'), [id, 'completed'])
    assert.equal((await ask<Sent>(where, 'show', '@')).handoff.id, id)
  })

  it('is refused with the list when several fit, and exit 2', async (t) => {
    const where = here(t)
    const first = await send(where)
    const second = await send(where)

    const { exit, details, message } = await refusal(where, 'accept', '@', '--as', 'codex')
    const text = await quick(where, 'accept', '@', '--as', 'codex')

    assert.deepEqual([exit, message], [2, '@ could be any of 2; name the one you mean'])
    const candidates = details.candidates as { id: string; title: string; state: string; at: string }[]
    assert.deepEqual(
      candidates.map(({ id, state }) => [id, state]),
      [
        [second.id, 'offered'],
        [first.id, 'offered'],
      ],
    )
    for (const { id, title, at } of candidates)
      assert.ok(text.stderr.includes(`\n${id}\t${title}\toffered\t${at}`), text.stderr)
  })

  it('says what to do when nothing fits, and exits with 3', async (t) => {
    const where = here(t)
    await send(where)
    const none = async (...argv: string[]) => {
      const { exit, message } = await refusal(where, ...argv)
      return [exit, message]
    }

    assert.deepEqual(await none('accept', '@', '--as', 'gemini'), [
      3,
      'gemini has nothing to accept; see: baton inbox --as gemini',
    ])
    assert.deepEqual(await none('submit', '@', '--as', 'codex'), [
      3,
      'codex holds nothing to hand in; accept something first: baton inbox --as codex',
    ])
    assert.deepEqual((await none('verify', '@', '--pass'))[0], 3)
    assert.deepEqual((await none('answer', '@', 'yes'))[0], 3)
    assert.deepEqual((await none('send', '@'))[0], 3)
  })

  it('leaves out what is for others: the work of another receiver and the gate of another person', async (t) => {
    const where = here(t)
    await ask(where, 'agent', 'add', 'maria', '--kind', 'human')
    await ask(where, 'send', '--to', 'maria', '--type', 'gate', '--title', 'Release', '--as', 'planner')
    await send(where)
    await ask(where, 'send', '--to', 'gemini', '--title', 'Other work')

    const { handoff: taken } = await ask<Sent>(where, 'accept', '@', '--as', 'codex')
    const gate = await refusal(where, 'decide', '@', 'approve')

    assert.equal(taken.to, 'codex')
    assert.equal(gate.exit, 3)
  })

  it('is the only task and the only notice too', async (t) => {
    const where = here(t)
    await ask(where, 'task', 'create', 'P0.1.1', '--title', 'First')
    await ask(where, 'task', 'start', '@', '--as', 'codex')
    await ask(where, 'task', 'update', '@', '--progress', '50', '--as', 'codex')
    await send(where)
    await ask(where, 'reject', '@', '--as', 'codex', '--reason', 'no access')

    const { task } = await ask<{ task: { owner: string; progress: number } }>(where, 'task', 'get', 'P0.1.1')
    const notice = await ask<{ kind: string; seen_at: string }>(where, 'notice', 'ack', '@')

    assert.deepEqual([task.owner, task.progress], ['codex', 50])
    assert.equal(notice.kind, 'rejected')
    assert.equal((await refusal(where, 'notice', 'ack', '@')).exit, 3)
  })
})

describe('a shortened id', () => {
  const where = here({ after })
  const sent: Sent['handoff'][] = []
  before(async () => {
    for (let i = 0; i < 12; i++)
      sent.push((await ask<Sent>(where, 'send', '--to', 'codex', '--title', `Number ${i + 1}`)).handoff)
    await ask(where, 'task', 'create', 'P0.1.1', '--title', 'First')
    await ask(where, 'task', 'create', 'P0.1.10', '--title', 'Tenth')
  })
  const shows = async (ref: string): Promise<string> => (await ask<Sent>(where, 'show', ref)).handoff.id

  it('is any unique part: the number, the end, the whole in small letters, a part of the uid', async () => {
    const [first, , third] = sent

    assert.equal(await shows('001'), first!.id)
    assert.equal(await shows('1'), first!.id)
    assert.equal(await shows('12'), sent[11]!.id)
    assert.equal(await shows('-003'), third!.id)
    assert.equal(await shows(first!.id.toLowerCase()), first!.id)
    assert.equal(await shows(first!.uid), first!.id)
    assert.equal(await shows(first!.uid.slice(-8)), first!.id)
  })

  it('is refused with the list when it is a part of several, and exit 2', async () => {
    const { exit, message, details } = await refusal(where, 'show', '-01')

    assert.deepEqual([exit, message], [2, '-01 is a part of 3 ids; write more of the one you mean'])
    assert.equal((details.candidates as unknown[]).length, 3)
  })

  it('is refused where the number is also the id of a document', async (t) => {
    const place = here(t)
    await send(place)
    writeFileSync(join(place.cwd, 'HO-001.yaml'), packageDocument('HO-001', '2026-02-21T09:00:00Z'))
    await ask(place, 'import', 'HO-001.yaml')

    for (const number of ['1', '001']) {
      const { message } = await refusal(place, 'show', number)
      assert.equal(message, `${number} is a part of 2 ids; write more of the one you mean`)
    }
    assert.equal((await ask<Sent>(place, 'show', 'HO-001')).handoff.id, 'HO-001')
  })

  it('is refused with the way to look for it when there is none, and exit 3', async () => {
    const { exit, message } = await refusal(where, 'show', 'zzz')

    assert.deepEqual([exit, message], [3, 'no handoff has zzz in its id; look for it with: baton list zzz'])
  })

  it('of a task is the whole id where others begin with it', async () => {
    assert.equal((await ask<{ task: { id: string } }>(where, 'task', 'get', 'P0.1.1')).task.id, 'P0.1.1')
    assert.equal((await ask<{ task: { id: string } }>(where, 'task', 'get', '1.10')).task.id, 'P0.1.10')
    assert.equal((await refusal(where, 'task', 'get', '0.1')).exit, 2)
  })

  it('works in the real command', async () => {
    const { code, stdout } = await baton(where, 'show', '007')

    assert.equal(code, 0)
    assert.match(stdout, new RegExp(`^${sent[6]!.id} {2}Number 7\n`))
  })
})

describe('the cursor of a list', () => {
  it('goes on where the last page ended, and is refused when Baton did not give it out', async (t) => {
    const where = here(t)
    const [first, second] = [await send(where, '--as', 'planner'), await send(where, '--as', 'claude')]
    await ask(where, 'task', 'create', 'P0.1', '--title', 'Begin')

    const page = (...more: string[]) =>
      ask<{ items: { id: string }[]; next: string }>(where, 'handoff', 'list', '--limit', '1', ...more)
    const { items, next } = await page()
    const rest = await page('--cursor', next)
    assert.deepEqual(
      [items, rest.items].map(([only]) => only?.id),
      [second.id, first.id],
    )
    const { stderr } = await quick(where, 'list', '--limit', '1')
    assert.equal(stderr, `more: run it again with --cursor ${next}\n`)

    for (const list of ['handoff', 'task', 'workflow', 'audit', 'report']) {
      const verb = { audit: 'log', report: 'history' }[list] ?? 'list'
      const { exit, message } = await refusal(where, list, verb, '--cursor', 'zzz')
      assert.deepEqual([exit, message], [2, 'this cursor is not one that Baton gave out'], list)
    }
  })
})
