import assert from 'node:assert/strict'
import { it } from 'node:test'
import { newKeys, recordOf, workedSession, writeEntries } from '../../../test/support/log/audit.ts'
import { by, describeOnEngines } from '../../../test/support/program/workspace.ts'
import { rootOfLeaves, verifyConsistency, verifyInclusion } from '../../audit/merkle.ts'
import { readTlogProof } from '../../audit/tlog-proof.ts'
import { leafOfText, nodeSha256, toText } from './hashes.ts'
import { openCheckpoint } from './heads.ts'
import { indexOf } from './log-reader.ts'
import { TreeReader } from './tree-reader.ts'

const codex = by('codex')

describeOnEngines('the tree of a log', (open) => {
  it('[S3-39] [S3-40] grows over the borders of tiles, and every proof holds at every size', async (t) => {
    const w = await open(t)
    const audit = await w.service.audit()
    const sizes: number[] = []
    for (const [step, count] of [255, 1, 1, 343].entries()) {
      await writeEntries(w, count, `S${step}-`)
      sizes.push((await audit.sequence()).size)
    }

    assert.deepEqual(sizes, [255, 256, 257, 600])
    const { entries } = await w.store.changes('0', 1_000)
    const leaves = entries.map(({ body }) => leafOfText(body))
    const reader = new TreeReader(w.store)
    const roots = new Map(sizes.map((size) => [size, rootOfLeaves(nodeSha256, leaves.slice(0, size))]))
    for (const size of sizes) {
      const root = roots.get(size)!
      assert.equal(toText(await reader.rootAt(size)), toText(root))
      for (const index of [0, 1, 254, 255, 256, 511, 512, 598, 599].filter((i) => i < size)) {
        const proof = await reader.inclusion(index, size)
        assert.ok(verifyInclusion(nodeSha256, { index, size, leaf: leaves[index]!, root, proof }))
        assert.equal(await indexOf(w.store, entries[index]!), index)
      }
      for (const size1 of sizes.filter((smaller) => smaller <= size)) {
        const proof = await reader.consistency(size1, size)
        const claim = { size1, size2: size, root1: roots.get(size1)!, root2: root, proof }
        assert.ok(verifyConsistency(nodeSha256, claim), `${size1} to ${size}`)
      }
    }
  })

  it('grows in small steps beside the calls of a server, which may end it', async (t) => {
    const w = await open(t)
    const audit = await w.service.audit()
    await writeEntries(w, 600)
    const { newest } = await w.store.tree()
    const left: number[] = []
    // Before each of eight parts, before the write and after it.
    const tellFor = (times: number) => async (entries: number) => left.push(entries) < times

    const { size, last } = await audit.sequence(tellFor(20))
    const within = await audit.sequence(tellFor(22))

    assert.deepEqual([size, within.size], [512, 512])
    assert.deepEqual([left.length, left[19]], [22, newest - last])
    const { newest: end, ...tree } = await w.store.tree()
    assert.deepEqual([tree.size, end], [512, newest])
    assert.equal((await audit.sequence()).size, 600)
  })

  it('is the same when several processes sequence at once while others write', async (t) => {
    const w = await open(t)
    const audits = await Promise.all([w.service, await w.beside(), await w.beside()].map((s) => s.audit()))

    // Few streams with many entries each, so that links go from one step of the tree into the next.
    const busy = async (id: string) => {
      await w.service.tasks.create(codex, { id, title: 'Work' })
      for (let progress = 1; progress < 50; progress++) await w.service.tasks.update(codex, id, { progress })
    }
    let isWriting = true
    const sequencing = audits.flatMap((audit) =>
      Array.from({ length: 2 }, async () => {
        while (isWriting) {
          await audit.sequence()
          // Where nothing waits for a disk, the writers would never have their turn.
          await new Promise((resolve) => setImmediate(resolve))
        }
      }),
    )
    await Promise.all(['A', 'B', 'C', 'D', 'E', 'F'].map(busy))
    isWriting = false
    await Promise.all(sequencing)
    const trees = await Promise.all(audits.map((audit) => audit.sequence()))

    const { entries } = await w.store.changes('0', 1_000)
    const root = rootOfLeaves(
      nodeSha256,
      entries.map(({ body }) => leafOfText(body)),
    )
    for (const tree of trees) assert.equal(tree.size, 300)
    assert.equal(toText(await new TreeReader(w.store).rootAt(300)), toText(root))
  })

  it('is read on by whoever has read it before it grew', async (t) => {
    const w = await open(t)
    const audit = await w.service.audit()
    await writeEntries(w, 3)
    await audit.sequence()
    const reader = new TreeReader(w.store)
    const before = await reader.rootAt(3)
    await writeEntries(w, 4, 'U')
    await audit.sequence()

    const claim = { size1: 3, size2: 7, root1: before, root2: await reader.rootAt(7) }

    assert.ok(verifyConsistency(nodeSha256, { ...claim, proof: await reader.consistency(3, 7) }))
  })

  it('is left as it is by a reader, and read entry by entry with what was disclosed', async (t) => {
    const w = await open(t)
    await writeEntries(w, 5)
    const reader = await (await w.beside({ readOnly: true })).audit()
    assert.equal((await reader.sequence()).size, 0)
    const { size } = await (await w.service.audit()).sequence()

    const read = []
    for await (const { index, disclosures } of reader.entries(1, size))
      read.push([index, disclosures?.length])

    assert.deepEqual(read, [
      [1, 2],
      [2, 2],
      [3, 2],
      [4, 2],
    ])
  })
})

describeOnEngines('a proof', (open) => {
  it('[S3-40] of a handoff, a task, a record or a session holds for each of its entries', async (t) => {
    const w = await open(t, newKeys(t))
    const audit = await w.service.audit()
    const session = await workedSession(w)
    const { handoff } = await w.service.sending.send(by('planner'), { to: 'codex', title: 'Work' })
    await w.service.receiving.accept(codex, handoff.uid)
    await w.service.tasks.record(codex, 'P0.1.1', recordOf('P0.1.1'))
    const [record] = await w.service.tasks.records('P0.1.1', 1)
    const subjects = [
      [handoff.id, 'handoff', 2],
      ['P0.1.1', 'task', 5],
      [record!.uid, 'record', 1],
      [session.id, 'session', 1],
    ] as const

    for (const [id, kind, least] of subjects) {
      const proof = await audit.proof(id, 50)

      const checkpoint = openCheckpoint(proof.checkpoint, proof.vkey)
      assert.ok(checkpoint)
      assert.equal(proof.subject.kind, kind)
      assert.ok(proof.entries.length >= least, `${proof.entries.length} entries of the ${kind}`)
      assert.deepEqual([proof.pending, proof.more], [0, false])
      for (const { entry, proof: text, index } of proof.entries) {
        const read = readTlogProof(text)
        assert.ok(read && read.index === index && read.checkpoint === proof.checkpoint)
        const { size, root } = checkpoint
        const claim = { index, size, root, proof: read.hashes, leaf: leafOfText(entry) }
        assert.ok(verifyInclusion(nodeSha256, claim))
        assert.ok(!verifyInclusion(nodeSha256, { ...claim, leaf: leafOfText(`${entry} `) }))
      }
    }
  })

  it('of what nobody knows is refused, and says how much is left when it is cut short', async (t) => {
    const w = await open(t, newKeys(t))
    const audit = await w.service.audit()
    await workedSession(w)

    await assert.rejects(audit.proof('P7', 5), { code: 'not_found' })
    const { entries, more } = await audit.proof('P0.1.1', 2)

    assert.deepEqual([entries.length, more], [2, true])
  })
})
