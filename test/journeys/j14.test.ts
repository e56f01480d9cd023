import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { it } from 'node:test'
import { aPackageFolder, archived } from '../folders/package.ts'
import { until } from '../folders/until.ts'
import { aWatcher } from '../folders/watcher.ts'
import { cleanEnv } from '../support/program/command.ts'

const SCRIPT = join(import.meta.dirname, 'document-004.sh')
const ALL = [1, 2, 3, 4, 5, 6, 7].map((n) => `HO-00${n}`)
const file = (id: string): string => archived(id, 'SESSION-ID')

/** Document 004's packages, put into the files of a session by scripts that do not know Baton, beside a watcher. */
it('J14: document 004 by hand [S4-05] [S4-23] [S4-61]', async (t) => {
  const folder = await aPackageFolder(t)
  await aWatcher(t, folder.where)
  const run = (...args: readonly string[]): void => {
    const env = cleanEnv(folder.where)
    const { status, stderr } = spawnSync('bash', [SCRIPT, ...args], {
      cwd: folder.root,
      env,
      encoding: 'utf8',
    })
    assert.equal(status, 0, stderr)
  }
  const problems = (): string =>
    ALL.filter((id) => folder.has(`${file(id)}.problem`))
      .map((id) => folder.read(`${file(id)}.problem`))
      .join('\n')
  const becomes = (id: string, status: string) =>
    until(
      () => folder.has('state/current.json') && folder.statusOf(id) === status,
      () => `${id} is not ${status}: ${problems()}`,
    )
  const refused = async (id: string): Promise<string> => {
    await until(() => folder.has(`${file(id)}.problem`))
    return folder.read(`${file(id)}.problem`)
  }

  run('sequential', 'HO-001')
  await becomes('HO-001', 'pending')
  run('acknowledge', 'HO-001', 'specification', 'Design what the stories ask for')
  await becomes('HO-001', 'in_progress')
  run('delegation', 'HO-002')
  await becomes('HO-002', 'pending')
  run('acknowledge', 'HO-002', 'architecture', 'Review the architecture')
  await becomes('HO-002', 'in_progress')
  run('return', 'HO-003')
  await becomes('HO-002', 'completed')
  run('escalation', 'HO-004')
  await becomes('HO-004', 'awaiting_human')
  run('gate', 'HO-005')
  await becomes('HO-005', 'awaiting_human')

  run('complete', 'HO-001')
  assert.match(await refused('HO-001'), /the gate "?design"? \(HO-005\) waits for human/)
  run('next', 'HO-006')
  assert.match(await refused('HO-006'), /the gate "?design"? \(HO-005\) waits for human/)
  run('next', 'HO-007', "It's done")
  assert.match(await refused('HO-007'), /summary/)

  for (const id of ['HO-001', 'HO-002', 'HO-003', 'HO-004', 'HO-005']) assert.ok(folder.has(file(id)), id)
  assert.equal((await folder.show('HO-001')).state, 'in_progress')
  assert.deepEqual(
    folder.state().handoffs.map(({ id }) => id),
    ['HO-001', 'HO-002', 'HO-003', 'HO-004', 'HO-005'],
  )
})
