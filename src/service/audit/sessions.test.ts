import assert from 'node:assert/strict'
import { it } from 'node:test'
import { newKeys, recordOf, workedSession } from '../../../test/support/log/audit.ts'
import { by, describeOnEngines } from '../../../test/support/program/workspace.ts'
import { rootOfLeaves, verifyInclusion } from '../../audit/merkle.ts'
import { readTlogProof } from '../../audit/tlog-proof.ts'
import { leafOfText, nodeSha256, toText } from './hashes.ts'
import { openCheckpoint } from './heads.ts'

const codex = by('codex')
const gemini = by('gemini')
const planner = by('planner')

describeOnEngines('an audit session', (open) => {
  it('[S3-31] [S3-34] [S3-35] is started, verified, sealed and gives its root', async (t) => {
    const w = await open(t, newKeys(t))
    const audit = await w.service.audit()
    const session = await workedSession(w)

    const report = await audit.verifyChain(codex)
    const sealed = await audit.finalize(codex)

    assert.deepEqual([report.ok, report.session, report.entries], [true, session.id, sealed.n])
    assert.deepEqual(await audit.root(codex), sealed)
    const { vkey } = await audit.key()
    const proof = readTlogProof(sealed.proof)
    const checkpoint = openCheckpoint(sealed.checkpoint, vkey)
    const [, seal] = await w.store.entries(session.uid, 0, 9)
    assert.ok(proof && checkpoint && seal)
    assert.deepEqual([proof.checkpoint, proof.index], [sealed.checkpoint, sealed.seal_index])
    const claim = { index: proof.index, size: checkpoint.size, root: checkpoint.root, proof: proof.hashes }
    assert.ok(verifyInclusion(nodeSha256, { ...claim, leaf: leafOfText(seal.body) }))
    assert.match(seal.body, new RegExp(`"seal":\\{"n":${sealed.n},"root":"`))
  })

  it('[S3-32] says its id, whose it is and when it began, and its first entry holds the newest checkpoint', async (t) => {
    const w = await open(t, newKeys(t))
    const audit = await w.service.audit()
    await w.service.tasks.create(planner, { id: 'P1', title: 'Work' })
    const { size, root } = await audit.checkpoint()

    const session = await audit.start(codex)

    assert.match(session.id, /^AS-[0-9a-f]{12}$/)
    assert.deepEqual([session.by, session.state, session.started_at], ['codex', 'open', w.clock.text])
    const [first] = await w.store.entries(session.uid, 0, 1)
    assert.ok(first?.body.includes(`"cp":{"root":"${root}","size":${size}}`), first?.body)
  })

  it('[S3-39] has the root of the leaves of its own entries, in order, and of nobody else’s', async (t) => {
    const w = await open(t, newKeys(t))
    await w.service.tasks.create(codex, { id: 'P0', title: 'Before' })
    await workedSession(w)
    await w.service.tasks.create(gemini, { id: 'P2', title: 'Another' })

    const sealed = await (await w.service.audit()).finalize(codex)

    const { entries } = await w.store.changes('0', 99)
    const start = entries.findIndex(({ act }) => act === 'audit_session_start')
    const end = entries.findIndex(({ act }) => act === 'session.seal')
    const own = entries.slice(start, end).filter(({ body }) => body.includes('"actor":{"id":"codex"}'))
    assert.equal(sealed.n, own.length)
    assert.equal(
      sealed.session_root,
      toText(
        rootOfLeaves(
          nodeSha256,
          own.map(({ body }) => leafOfText(body)),
        ),
      ),
    )
  })

  it('[S3-36] is not sealed before its work was recorded, and can be afterwards', async (t) => {
    const w = await open(t, newKeys(t))
    const audit = await w.service.audit()
    await w.service.tasks.create(planner, { id: 'P1', title: 'Work' })
    const session = await audit.start(codex)
    await w.service.tasks.start(codex, 'P1')

    await assert.rejects(audit.finalize(codex), {
      code: 'unmet',
      message: `FINAL_THOUGHT_RECORD_MISSING: ${session.id} holds no record of what was done; call thought_record, then merkle_finalize again`,
    })
    assert.equal((await w.store.session(session.uid))?.state, 'open')
    await w.service.tasks.record(codex, 'P1', recordOf('P1'))

    assert.equal((await audit.finalize(codex)).session, session.id)
  })

  it('[S3-36] is not sealed while a task became done in it without a record of its own', async (t) => {
    const w = await open(t, newKeys(t))
    const audit = await w.service.audit()
    for (const id of ['P1', 'P2']) await w.service.tasks.create(planner, { id, title: 'Work' })
    await w.service.tasks.start(codex, 'P1')
    await w.service.tasks.record(codex, 'P1', recordOf('P1'))
    await audit.start(codex)
    await w.service.tasks.update(codex, 'P1', { status: 'done' })
    await w.service.tasks.start(codex, 'P2')
    await w.service.tasks.record(codex, 'P2', recordOf('P2'))

    await assert.rejects(audit.finalize(codex), {
      code: 'unmet',
      message: /^FINAL_THOUGHT_RECORD_MISSING: P1 became done in AS-\w+ without a record/,
    })
    await w.service.tasks.record(codex, 'P1', recordOf('P1'))

    assert.ok(await audit.finalize(codex))
  })

  it('may begin after the work, and holds what is done from there on', async (t) => {
    const w = await open(t, newKeys(t))
    const audit = await w.service.audit()
    await w.service.tasks.create(codex, { id: 'P1', title: 'Work' })
    await w.service.tasks.start(codex, 'P1')
    const session = await audit.start(codex)
    await w.service.tasks.record(codex, 'P1', recordOf('P1'))
    await w.service.tasks.update(codex, 'P1', { status: 'done' })

    const sealed = await audit.finalize(codex)

    assert.deepEqual([sealed.session, sealed.n], [session.id, 3])
  })

  it('[S3-37] has no root before it is sealed', async (t) => {
    const w = await open(t, newKeys(t))
    const { id } = await workedSession(w)

    await assert.rejects((await w.service.audit()).root(codex), {
      code: 'wrong_state',
      message: `${id} is not sealed yet; call merkle_finalize first`,
    })
  })

  it('[S3-108] must have begun before it is verified, sealed or asked for its root', async (t) => {
    const audit = await (await open(t, newKeys(t))).service.audit()

    for (const call of [() => audit.verifyChain(codex), () => audit.finalize(codex), () => audit.root(codex)])
      await assert.rejects(call, {
        code: 'wrong_state',
        message: 'there is no audit session; begin one with audit_session_start first',
      })
  })

  it('[S3-95] [S3-96] is sealed once: whoever asks again, and whenever, gets the same bytes', async (t) => {
    const w = await open(t, newKeys(t))
    const audit = await w.service.audit()
    const { uid } = await workedSession(w)
    const sealed = await audit.finalize(codex)
    w.clock.pass(5_000)
    await w.service.tasks.create(planner, { id: 'P9', title: 'More' })
    await audit.checkpoint()
    const beside = await (await w.beside()).audit()

    assert.deepEqual(await audit.finalize(codex, uid), sealed)
    assert.deepEqual(await beside.finalize(gemini), sealed)
    assert.deepEqual(await beside.root(gemini, uid), sealed)
    assert.equal((await w.store.entries(uid, 0, 9)).length, 2)
  })

  it('[S3-95] leaves a record after the seal to the next session', async (t) => {
    const w = await open(t, newKeys(t))
    const audit = await w.service.audit()
    const first = await workedSession(w)
    const sealed = await audit.finalize(codex)
    await w.service.tasks.record(codex, 'P0.1.1', recordOf('P0.1.1'))
    const second = await workedSession(w, 'codex', 'P0.1.2')

    const next = await audit.finalize(codex)

    assert.deepEqual([next.session, next.n], [second.id, sealed.n])
    assert.notEqual(next.session_root, sealed.session_root)
    assert.deepEqual(await audit.root(codex, first.id), sealed)
    assert.equal((await audit.verifyChain(codex, first.id)).entries, sealed.n)
  })

  it('[S3-41] [S3-42] is not needed: without one every update and record stands in the log', async (t) => {
    const w = await open(t)
    const { task } = await w.service.tasks.create(planner, { id: 'P1', title: 'Work' })
    await w.service.tasks.start(codex, 'P1')
    await w.service.tasks.update(codex, 'P1', { progress: 50 })
    await w.service.tasks.record(codex, 'P1', recordOf('P1'))
    await w.service.tasks.update(codex, 'P1', { status: 'done' })

    const acts = (await w.store.entries(task.uid, 0, 9)).map(({ act }) => act)

    assert.deepEqual(acts, ['task.create', 'task.start', 'task.update', 'thought_record', 'task.done'])
    assert.deepEqual((await w.store.sessions({}, { limit: 9 })).items, [])
  })
})
