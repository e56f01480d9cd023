import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { createService, openStore } from '../../../src/compose/main.ts'
import type { LogKeys } from '../../../src/service/audit/keys.ts'
import type { Service } from '../../../src/service/service.ts'
import type { DumpRow } from '../../../src/storage/store.ts'
import { openLogKeys } from '../../../src/workspace/log-keys.ts'
import { by, type Workspace } from '../program/workspace.ts'
import { newPostgresPlace, newSqlitePlace } from '../store/store-places.ts'

export interface KeyRing {
  readonly folder: string
  readonly keys: () => Promise<LogKeys>
}

/** A home of its own for keys and for what is remembered. */
export function newKeys(t: TestContext): KeyRing {
  const folder = mkdtempSync(join(tmpdir(), 'baton-home-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return { folder, keys: async () => openLogKeys({ home: folder }) }
}

/** Writes so many entries: one for each task. */
export async function writeEntries({ service }: Workspace, count: number, prefix = 'T'): Promise<void> {
  const made = Array.from({ length: count }, (_, i) =>
    service.tasks.create(by('planner'), { id: `${prefix}${i}`, title: 'Work' }),
  )
  await Promise.all(made)
}

/** A session of this agent with recorded work, ready to be sealed. */
export async function workedSession(
  { service }: Pick<Workspace, 'service'>,
  name = 'codex',
  task = 'P0.1.1',
) {
  const call = by(name)
  const audit = await service.audit()
  await service.tasks.create(by('planner'), { id: task, title: 'Work' })
  const session = await audit.start(call)
  await service.tasks.start(call, task)
  await service.tasks.complete(call, task, recordOf(task))
  return session
}

/** A record of finished work with all that document 003 asks for. */
export const recordOf = (task: string) => ({
  branch: `feature/${task.toLowerCase().replaceAll('.', '-')}-work`,
  commit_sha: 'c0ffee'.padEnd(40, '0'),
  tests_run: ['npm test'],
  summary: 'The package is set up. Its tests run. Nothing else was touched.',
})

/**
 * The store as an attacker would leave it who writes to the database: a copy whose rows were changed, in a place
 * of its own.
 */
export async function tampered(
  t: TestContext,
  { store, clock }: Workspace,
  change: (rows: readonly DumpRow[]) => readonly DumpRow[],
  keys?: () => Promise<LogKeys>,
): Promise<Service> {
  const { target, remove } = store.info.engine === 'sqlite' ? newSqlitePlace() : newPostgresPlace()
  const rows: DumpRow[] = []
  for await (const row of store.dump()) rows.push(row)
  const copy = await openStore(target)
  t.after(async () => {
    await copy.close()
    await remove()
  })
  const changed = change(rows)
  await copy.restore(
    (async function* () {
      yield* changed
    })(),
  )
  return createService(copy, { now: clock.now, ...(keys && { keys }) })
}

/** Changes the row of a table that a test picks; fails when there is none. */
export const changing =
  (
    table: string,
    pick: (row: DumpRow['row']) => boolean,
    change: (row: DumpRow['row']) => object | undefined,
  ) =>
  (rows: readonly DumpRow[]): readonly DumpRow[] => {
    let isFound = false
    const changed = rows.flatMap((dumped) => {
      if (isFound || dumped.table !== table || !pick(dumped.row)) return [dumped]
      isFound = true
      const row = change(dumped.row)
      return row ? [{ table, row: { ...dumped.row, ...row } }] : []
    })
    if (!isFound) throw new Error(`there is no such row in ${table}`)
    return changed
  }
