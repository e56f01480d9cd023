import assert from 'node:assert/strict'
import fc from 'fast-check'
import { stringify } from 'yaml'
import { recordIn } from '../../src/audit/entry.ts'
import { BatonError } from '../../src/domain/errors.ts'
import type { OperationName } from '../../src/operations/index.ts'
import { recordOf, run } from '../support/program/invoke.ts'
import { by } from '../support/program/workspace.ts'
import { inRounds, type Side, type Sides, type Walked } from './document-sides.ts'

/** What an agent says of a task: as a document of document 003, and as the calls of the same. */
interface Said {
  readonly form: 'task_update' | 'thought_record'
  readonly says: Readonly<Record<string, unknown>>
}

const notes = (count: number): string =>
  `Parser reads every field. Step ${count} is done. Next is the writer.`

const STEPS: readonly ((task: string, count: number) => Said)[] = [
  (_task, count) => ({ form: 'task_update', says: { status: 'todo', notes: notes(count) } }),
  (_task, count) => ({
    form: 'task_update',
    says: { status: 'in_progress', progress: 40, notes: notes(count) },
  }),
  (_task, count) => ({ form: 'task_update', says: { status: 'done', notes: notes(count) } }),
  (task, count) => ({
    form: 'thought_record',
    says: recordOf(task, { summary: `${notes(count)} It is tested.` }),
  }),
  (task, count) => ({
    form: 'thought_record',
    says: recordOf(task, { summary: `${notes(count)} It is whole.`, status: 'done' }),
  }),
]

interface Choice {
  readonly step: number
  readonly by: 'ann' | 'ben'
}

const OWN = /^(?:uid|id|rev|record_id|.+_seq|.+_at|at)$/

/** Walks of task records by import against the same by command. */
class RecordWalks {
  readonly #sides: Sides
  #made = 0

  constructor(sides: Sides) {
    this.#sides = sides
  }

  async check({ numRuns, length }: Walked): Promise<void> {
    const choice = fc.record({
      step: fc.nat({ max: STEPS.length - 1 }),
      by: fc.constantFrom('ann' as const, 'ann' as const, 'ben' as const),
    })
    const walk = fc.array(choice, { minLength: 1, maxLength: length, size: 'max' })
    await fc.assert(
      fc.asyncProperty(walk, (choices) => this.#walk(choices)),
      { numRuns },
    )
  }

  async #walk(choices: readonly Choice[]): Promise<void> {
    this.#made += 1
    const task = `P${this.#made}.1.1`
    const { command, files, clock } = this.#sides
    for (const { service } of [command, files])
      await run(service, by('planner'), 'task_create', { id: task, title: task })
    for (const [i, { step, by: who }] of choices.entries()) {
      clock.pass(1_000)
      const actor = `${who}${this.#made}`
      const said = STEPS[step]!(task, i)
      const byCommand = await this.#command(task, actor, said)
      const text = stringify({ [said.form]: { ...said.says, task_id: task } })
      const brought = { name: `${task}-${i}.yaml`, text, by: actor }
      const { items } = (await this.#sides.bring('import', brought)) as { items: readonly Imported[] }
      const [item] = items
      const byFile = item?.outcome === 'refused' ? `${item.code}: ${item.reason}` : undefined
      assert.equal(byFile, byCommand, text)
    }
    assert.deepEqual(await seen(files, task), await seen(command, task))
  }

  /** The command that the document stands for. */
  async #command(task: string, actor: string, { form, says }: Said): Promise<string | undefined> {
    const { service, store } = this.#sides.command
    const known = await store.task(task)
    const isCompletion = form === 'thought_record' && says.status === 'done' && known?.task.status !== 'done'
    const op: OperationName = isCompletion ? 'task_complete' : form
    try {
      const { status, ...rest } = says
      const input = isCompletion ? rest : says
      await run(service, by(actor), op, { ...input, task_id: task })
      return undefined
    } catch (error) {
      if (!(error instanceof BatonError)) throw error
      return `${error.code}: ${error.message}`
    }
  }
}

interface Imported {
  readonly outcome: string
  readonly code?: string
  readonly reason?: string
}

/** The task, its records and its acts, without what differs by design. */
async function seen({ store }: Side, id: string): Promise<unknown> {
  const row = await store.task(id)
  if (!row) return undefined
  const [records, entries] = await Promise.all([store.records(id, 50), store.entries(row.task.uid, 0, 500)])
  const plain = (value: object) => Object.fromEntries(Object.entries(value).filter(([key]) => !OWN.test(key)))
  return {
    task: plain(row.task),
    records: records.map((record) => plain(record)),
    acts: entries
      .map((entry) => recordIn(entry))
      .filter(({ act }) => act !== 'artifact.put')
      .map(({ act, actor, from, to }) => ({ act, by: actor.id, from, to })),
  }
}

export const checkRecords = (open: () => Promise<Sides>, walked: Walked): Promise<void> =>
  inRounds(open, walked, (sides, part) => new RecordWalks(sides).check(part))
