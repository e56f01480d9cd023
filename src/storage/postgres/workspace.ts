import { randomUUID } from 'node:crypto'
import type { ClientBase } from 'pg'
import { BatonError } from '../../domain/errors.ts'
import type { StoreInfo } from '../store.ts'
import { inTransaction } from './connection/connect.ts'

type WorkspaceMeta = Pick<StoreInfo, 'origin' | 'settings' | 'moved'>

export interface Workspace extends WorkspaceMeta {
  /** The number that leads every key. */
  readonly id: number
  readonly changesLog: boolean
}

/** Numbers of handoffs come from outside the transaction: nobody waits for another's commit to get one. */
export const sequenceOf = (workspace: number): string => `baton.handoff_number_${workspace}`

/** The workspace of this name; makes it when it is not there. */
export async function openWorkspace(
  client: ClientBase,
  name: string,
  { readOnly, onMake }: { readonly readOnly: boolean; readonly onMake: (origin: string) => void },
): Promise<Workspace> {
  const found = await findWorkspace(client, name)
  if (found) return found
  if (readOnly)
    throw new BatonError('not_found', `there is no workspace ${name} in this database`, { workspace: name })
  await inTransaction(client, () => createWorkspace(client, name, onMake))
  const made = await findWorkspace(client, name)
  if (!made)
    throw new BatonError('internal', `the workspace ${name} was made and is not there`, { workspace: name })
  return made
}

async function findWorkspace(client: ClientBase, name: string): Promise<Workspace | undefined> {
  const { rows } = await client.query<{ id: number; meta: WorkspaceMeta; changesLog: boolean }>(
    `SELECT w.id, json_object_agg(m.key, m.value) AS meta,
       has_table_privilege('baton.entry', 'UPDATE, DELETE') AS "changesLog"
     FROM baton.workspace w JOIN baton.meta m ON m.ws = w.id AND m.key IN ('origin', 'settings', 'moved')
     WHERE w.name = $1 GROUP BY w.id`,
    [name],
  )
  const [found] = rows
  return found && { id: found.id, changesLog: found.changesLog, ...found.meta }
}

async function createWorkspace(
  client: ClientBase,
  name: string,
  onMake: (origin: string) => void,
): Promise<void> {
  const uuid = randomUUID()
  const origin = `baton.local/${uuid}`
  // A second process waits here for the first, and inserts nothing.
  const { rows } = await client.query<{ id: number }>(
    'INSERT INTO baton.workspace (name, uuid) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING RETURNING id',
    [name, uuid],
  )
  const id = rows[0]?.id
  if (id === undefined) return
  await client.query(`CREATE SEQUENCE ${sequenceOf(id)}`)
  await client.query(
    `INSERT INTO baton.meta (ws, key, value) VALUES ($1, 'workspace_uuid', $2), ($1, 'origin', $3)`,
    [id, uuid, origin],
  )
  onMake(origin)
}

/**
 * Constraints stop every program, also one that has the workspace open already, and wait for what is under way. In the
 * order in which every transaction writes these tables. False when it is not as the caller knows it.
 */
export function retireWorkspace(client: ClientBase, id: number, from?: string, to?: string) {
  const change =
    to === undefined
      ? `DROP CONSTRAINT moved_${id}`
      : `ADD CONSTRAINT moved_${id} CHECK (ws <> ${id}) NOT VALID`
  const kept = `FROM baton.meta WHERE ws = ${id} AND key = 'moved'`
  return inTransaction(client, async () => {
    const found = (await client.query(`SELECT value ${kept} FOR UPDATE`)).rows[0]?.value
    if (found === to || found !== from) return found === to
    await client.query(`DELETE ${kept}`)
    if (to !== undefined)
      await client.query(`INSERT INTO baton.meta (ws, key, value) VALUES (${id}, 'moved', $1)`, [to])
    if (from === undefined || to === undefined)
      for (const table of ['handoff', 'entry', 'delivery'])
        await client.query(`ALTER TABLE baton.${table} ${change}`)
    return true
  })
}
