import assert from 'node:assert/strict'
import { it } from 'node:test'
import { randomOf } from '../support/log/export-log.ts'
import {
  type Edit,
  findingsIn,
  liveThrough,
  openTampered,
  randomEdit,
  rowsIn,
  SEEN_TABLES,
} from '../support/log/tampering.ts'
import { by, ENGINES } from '../support/program/workspace.ts'

const HANDOFFS = 1_000
const EDITS = 10_000
/** At once, each in a row of its own: the store is read once for all of them. */
const BATCH = 100
const WITHIN_MS = 5_000

for (const engine of ENGINES)
  it(`${EDITS} edits of a store with ${HANDOFFS} handoffs are found, each, on ${engine}`, async (t) => {
    const w = await openTampered(t, engine)
    await liveThrough(w)
    const { sending, receiving } = w.service
    for (let i = 0; i < HANDOFFS; i += 1) {
      const { handoff } = await sending.send(by(`planner-${i % 200}`), {
        to: `codex-${i % 200}`,
        title: `Work ${i}`,
        summary: `All of ${i}`,
      })
      if (i % 2 === 0) await receiving.accept(by(`codex-${i % 200}`), handoff.uid)
    }
    await (await w.service.audit()).checkpoint()
    const began = performance.now()
    assert.deepEqual(await findingsIn(w.store), [])
    const took = performance.now() - began
    assert.ok(took <= WITHIN_MS, `${took} ms`)

    const seed = Number(process.env.SEED ?? 1)
    const random = randomOf(seed)
    const rows = new Map<string, readonly Edit['row'][]>()
    for (const table of SEEN_TABLES) rows.set(table, await rowsIn(w, table))
    for (let done = 0; done < EDITS; ) {
      const edits: Edit[] = []
      const taken = new Set<string>()
      for (let tries = 0; tries < BATCH; tries += 1) {
        const table = random.pick(SEEN_TABLES)
        const row = random.pick(rows.get(table)!)
        // A finding about a row or stream must not stand for another edit.
        if (marksOf(row).some((mark) => taken.has(mark))) continue
        for (const mark of marksOf(row)) taken.add(mark)
        edits.push(randomEdit(w, random, table, row))
      }
      for (const { apply } of edits) await apply()
      const found = (await findingsIn(w.store)).join('\n')
      for (const { undo } of edits) await undo()
      for (const edit of edits) {
        if (marksOf(edit.row).some((mark) => found.includes(mark))) continue
        await edit.apply()
        assert.notDeepEqual(await findingsIn(w.store), [], `seed ${seed}, after ${done}: ${edit.about}`)
        await edit.undo()
      }
      done += edits.length
    }
    assert.deepEqual(await findingsIn(w.store), [])
  })

/** Names by which a finding may call a row: its own, and those of what it belongs to. */
function marksOf(row: Edit['row']): readonly string[] {
  const { uid, id } = row.doc === undefined ? ({} as Edit['row']) : JSON.parse(String(row.doc))
  const { stream, task, depends_on, sha256, name, handoff } = row
  const marks = [
    row.uid,
    uid,
    id,
    stream,
    task,
    depends_on,
    sha256,
    name,
    handoff,
    row.bytes !== undefined && 'the tree',
  ]
  return marks.filter((mark) => typeof mark === 'string' && mark.length > 3) as string[]
}
