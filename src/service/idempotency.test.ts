import assert from 'node:assert/strict'
import { it } from 'node:test'
import { tablesOf } from '../../test/support/log/log.ts'
import { by, describeOnEngines, person, type Workspace } from '../../test/support/program/workspace.ts'
import { WRITES } from '../../test/support/store/writes.ts'

const keyed = (name: string, key: string) => by(name, { key })
const planner = by('planner')
const codex = by('codex')
const WORK = { to: 'codex', title: 'Work' }

const entriesOf = async ({ store }: Workspace) => (await store.counts()).entries

describeOnEngines('a call with a key', (open) => {
  for (const [name, prepare] of Object.entries(WRITES))
    it(`to ${name} has one effect and one answer, however often it is made`, async (t) => {
      const w = await open(t)
      const call = await prepare(w)

      const first = await call('key-1')
      const entries = await entriesOf(w)
      w.clock.pass(1_000)
      const again = [await call('key-1'), ...(await Promise.all([call('key-1'), call('key-1')]))]

      for (const answer of again) assert.deepEqual(answer, first)
      assert.equal(await entriesOf(w), entries)
    })

  it('that is made ten times at once by two processes has one effect', async (t) => {
    const w = await open(t)
    await w.service.sending.send(planner, WORK)
    const services = [w.service, await w.beside()]

    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        (services[i % 2] ?? w.service).sending.send(keyed('planner', 'key-1'), { ...WORK, title: 'Once' }),
      ),
    )

    assert.equal(new Set(answers.map(({ handoff }) => handoff.uid)).size, 1)
    assert.deepEqual((await w.store.counts()).handoffs, { offered: 2 })
  })

  it('that makes something with an id of its own has one effect in four processes', async (t) => {
    const w = await open(t)
    const services = [w.service, await w.beside(), await w.beside(), await w.beside()]

    for (let n = 1; n <= 5; n += 1) {
      const answers = await Promise.all(
        services.map(({ tasks }) =>
          tasks.create(keyed('planner', `task-${n}`), { id: `T-${n}`, title: 'Once' }),
        ),
      )
      assert.equal(new Set(answers.map((answer) => JSON.stringify(answer))).size, 1)
    }
  })

  it('answers what has become of its subject since', async (t) => {
    const w = await open(t)
    const send = () => w.service.sending.send(keyed('planner', 'key-1'), WORK)
    const { handoff } = await send()
    await w.service.receiving.accept(codex, handoff.uid)

    assert.equal((await send()).handoff.state, 'in_progress')
  })

  it('is refused with other input, and leaves nothing behind', async (t) => {
    const w = await open(t)
    await w.service.sending.send(keyed('planner', 'key-1'), WORK)
    const entries = await entriesOf(w)

    await assert.rejects(w.service.sending.send(keyed('planner', 'key-1'), { ...WORK, title: 'Other' }), {
      code: 'conflict',
      message: 'the key key-1 was used for another handoff_send call; take a new key for new input',
    })

    assert.equal(await entriesOf(w), entries)
  })

  it('belongs to its caller and its operation alone', async (t) => {
    const w = await open(t)

    const made = [
      await w.service.sending.send(keyed('planner', 'key-1'), WORK),
      await w.service.sending.send(keyed('gemini', 'key-1'), WORK),
      await w.service.sending.create(keyed('planner', 'key-1'), WORK),
      await w.service.sending.send(keyed('planner', 'key-2'), WORK),
      await w.service.sending.send(planner, WORK),
      await w.service.sending.send(planner, WORK),
    ]

    assert.equal(new Set(made.map(({ handoff }) => handoff.uid)).size, 6)
  })

  it('that was refused may be made again with the same key', async (t) => {
    const w = await open(t)
    await w.service.agents.add(person('maria'), { name: 'codex', max_incoming: 1 })
    const { handoff } = await w.service.sending.send(planner, WORK)
    const send = () => w.service.sending.send(keyed('planner', 'key-1'), WORK)
    await assert.rejects(send(), { code: 'limit_exceeded' })

    await w.service.sending.cancel(planner, handoff.uid)

    assert.equal((await send()).handoff.state, 'offered')
  })

  it('claims nothing again where the queue was empty the first time', async (t) => {
    const w = await open(t)
    const first = await w.service.receiving.claim(keyed('codex', 'key-1'))
    await w.service.sending.send(planner, WORK)

    const again = await w.service.receiving.claim(keyed('codex', 'key-1'))
    const other = await w.service.receiving.claim(keyed('codex', 'key-2'))

    assert.deepEqual([first, again, other?.state], [undefined, undefined, 'in_progress'])
  })

  it('is remembered with what it asked for, not with what was said', async (t) => {
    const w = await open(t)
    const { handoff } = await w.service.sending.send(keyed('planner', 'key-1'), WORK)

    const [row, ...rest] = (await tablesOf(w.store)).get('idem') ?? []

    assert.deepEqual(rest, [])
    assert.deepEqual(
      [row?.actor, row?.op, row?.key, row?.subject, row?.rev, row?.at],
      ['planner', 'handoff_send', 'key-1', handoff.uid, 1, w.clock.text],
    )
    assert.match(String(row?.input_hash), /^[0-9a-f]{64}$/)
  })

  it('is forgotten when old keys are cleared away, and then counts as new', async (t) => {
    const w = await open(t)
    const send = async () => (await w.service.sending.send(keyed('planner', 'key-1'), WORK)).handoff.uid
    const first = await send()
    w.clock.pass(7 * 24 * 3_600_000)

    await w.store.gc(w.clock.text, true)

    assert.notEqual(await send(), first)
  })
})
