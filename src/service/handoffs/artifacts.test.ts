import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { it } from 'node:test'
import { tablesOf } from '../../../test/support/log/log.ts'
import { by, describeOnEngines, START } from '../../../test/support/program/workspace.ts'
import { MAX_BLOB_BYTES } from './artifacts.ts'

const codex = by('codex')
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

describeOnEngines('an artifact', (open) => {
  it('is kept by its path and hash, without its bytes', async (t) => {
    const w = await open(t)
    const hash = sha256(Buffer.from('x'))

    const put = await w.service.artifacts.put(codex, {
      path: 'docs/plan.md',
      type: 'doc',
      role: 'input',
      description: 'The plan',
      sha256: hash,
      commit: 'abc123',
    })

    const { uid, ...rest } = put
    assert.deepEqual(rest, {
      path: 'docs/plan.md',
      type: 'doc',
      role: 'input',
      description: 'The plan',
      sha256: hash,
      commit: 'abc123',
      stored: false,
      by: 'codex',
      created_at: START,
    })
    assert.deepEqual(await w.service.artifacts.get(uid), { artifact: put })
  })

  it('is stored with its bytes and given back byte for byte', async (t) => {
    const w = await open(t)
    const bytes = Buffer.from([0, 255, 10, 13, 0xf0, 0x9f, 0x94, 0x84])

    const put = await w.service.artifacts.put(codex, { path: 'a.bin', bytes })
    const got = await w.service.artifacts.get(put.uid)

    assert.deepEqual([put.size, put.stored, put.sha256], [8, true, sha256(bytes)])
    assert.deepEqual(Buffer.from(got.bytes ?? []), bytes)
  })

  it('may have ten megabytes, and not one byte more', async (t) => {
    const w = await open(t)
    const most = new Uint8Array(10 * 1024 * 1024)

    const put = await w.service.artifacts.put(codex, { path: 'large.bin', bytes: most })
    await assert.rejects(
      w.service.artifacts.put(codex, { path: 'larger.bin', bytes: new Uint8Array(most.length + 1) }),
      {
        code: 'too_large',
        message:
          'larger.bin has 10485761 bytes; at most 10485760 are stored, name its path and sha256 instead',
      },
    )

    assert.equal(put.size, MAX_BLOB_BYTES)
    assert.equal((await w.service.artifacts.get(put.uid)).bytes?.length, MAX_BLOB_BYTES)
  })

  it('is refused where its bytes do not have the hash that was given', async (t) => {
    const w = await open(t)

    await assert.rejects(
      w.service.artifacts.put(codex, {
        path: 'a',
        bytes: Buffer.from('x'),
        sha256: sha256(Buffer.from('y')),
      }),
      { code: 'invalid_input' },
    )
  })

  it('of the same bytes is stored once', async (t) => {
    const w = await open(t)
    const bytes = Buffer.from('the same')

    await w.service.artifacts.put(codex, { path: 'one', bytes })
    await w.service.artifacts.put(codex, { path: 'two', bytes })

    const tables = await tablesOf(w.store)
    assert.deepEqual([tables.get('artifact')?.length, tables.get('blob')?.length], [2, 1])
  })

  it('belongs to a handoff and stands in its timeline', async (t) => {
    const w = await open(t)
    const { handoff } = await w.service.sending.send(by('planner'), { to: 'codex', title: 'Work' })

    const put = await w.service.artifacts.put(codex, { path: 'src/limit.ts', handoff: handoff.id })

    assert.equal(put.handoff, handoff.uid)
    assert.deepEqual(await w.store.artifacts(handoff.uid), [put])
    const { timeline } = await w.service.looking.get(handoff.uid)
    assert.deepEqual(
      timeline.map(({ act }) => act),
      ['handoff.send', 'artifact.put'],
    )
    await assert.rejects(w.service.artifacts.put(codex, { path: 'a', handoff: 'HO-1' }), {
      code: 'not_found',
    })
    await assert.rejects(w.service.artifacts.get('nothing'), { code: 'not_found' })
  })
})
