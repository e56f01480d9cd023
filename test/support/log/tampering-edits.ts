import assert from 'node:assert/strict'
import { it } from 'node:test'
import { run } from '../program/invoke.ts'
import { by, type Engine, person } from '../program/workspace.ts'
import { randomOf } from './export-log.ts'
import {
  type Edit,
  findingsIn,
  liveThrough,
  openTampered,
  randomEdit,
  rowsIn,
  SEEN_TABLES,
  type Tampered,
} from './tampering.ts'

const HANDOFFS = 1_000
const EDITS = 10_000
/** At once, each in a row of its own: the store is read once for all of them. */
const BATCH = 100
const WITHIN_MS = 5_000
const WORKFLOW = 'name: release\nsteps:\n  - { id: notes, title: Write the notes, agent: codex }\n'

/** Edits the database in every table that people see; each edit must be named, or be found when it is alone. */
export function describeEdits(engine: Engine): void {
  it(`${EDITS} edits of a store with ${HANDOFFS} handoffs are found, each, on ${engine}`, async (t) => {
    const w = await openTampered(t, engine)
    await liveThrough(w)
    await fill(w)
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
      // Whole words: HO-2026-100 is not found by what is said of HO-2026-1000.
      const found = new Set((await findingsIn(w.store)).flatMap((text) => text.split(/[\s:,]+/)))
      for (const { undo } of edits) await undo()
      for (const edit of edits) {
        if (marksOf(edit.row).some((mark) => found.has(mark))) continue
        await edit.apply()
        assert.notDeepEqual(await findingsIn(w.store), [], `seed ${seed}, after ${done}: ${edit.about}`)
        await edit.undo()
      }
      done += edits.length
    }
    assert.deepEqual(await findingsIn(w.store), [])
  })
}

/** Many rows in most tables: then many edits have a row and a stream of their own. */
async function fill({ service }: Tampered): Promise<void> {
  const { sending, receiving, artifacts, tasks } = service
  const tokens = await service.tokens()
  for (let i = 0; i < HANDOFFS; i += 1) {
    const [planner, codex] = [by(`planner-${i % 200}`), by(`codex-${i % 200}`)]
    const { handoff } = await sending.send(planner, {
      to: codex.actor.name,
      title: `Work ${i}`,
      summary: `All of ${i}`,
    })
    if (i % 2 === 0) await receiving.accept(codex, handoff.uid)
    if (i % 20 !== 0) continue
    const [id, next] = [`P1.${i}.1`, `P1.${i}.2`]
    await tasks.create(planner, { id, title: `First of ${i}` })
    await tasks.create(planner, { id: next, title: `Second of ${i}`, depends_on: [id] })
    await tasks.start(codex, id)
    await tasks.record(codex, id, { summary: `Seen ${i}`, tests_run: ['a'] })
    await artifacts.put(codex, { path: `${i}.txt`, handoff: handoff.id, bytes: Buffer.from(`bytes ${i}`) })
    await tokens.create(person('maria'), { agent: codex.actor.name, scopes: ['handoff:read'] })
    await run(service, codex, 'workflow_start', { definition: WORKFLOW })
  }
}

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
    // Not a word that is found: what is said of the tree may be about an entry, so a tile is looked at alone.
    row.n !== undefined && 'the tree',
  ]
  return marks.filter((mark) => typeof mark === 'string' && mark.length > 3) as string[]
}
