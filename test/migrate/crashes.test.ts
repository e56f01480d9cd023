import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { applyMigration } from '../../src/migrate/apply.ts'
import { planMigration } from '../../src/migrate/plan.ts'
import { scan } from '../../src/migrate/scan.ts'
import { ask, BATON, cleanEnv } from '../support/program/command.ts'
import { aCrowd, aTree, type Tree, v1Text } from './v1-tree.ts'

/** Four handoffs are enough to be cut off in between. */
const files = Object.fromEntries(Object.entries(aCrowd().files).filter(([path]) => /work-[0-3]\b/.test(path)))

/** Moments of an --apply, by what has just begun to show. */
const MOMENTS: Readonly<Record<string, (root: string) => boolean>> = {
  'copies are being made': (root) => existsSync(join(root, '.baton/migrated')),
  'handoffs are being written': (root) => countIn(join(root, '_handoffs/active')) > 1,
  'old files are being removed': (root) => countIn(join(root, '_agents/_handoffs')) < 3,
}

const countIn = (folder: string): number => (existsSync(folder) ? readdirSync(folder).length : 0)

describe('a migration that is cut off', () => {
  for (const [what, isNow] of Object.entries(MOMENTS))
    it(`[S0-117] while ${what} has lost nothing, and the next run ends as if nothing had happened`, async (t) => {
      const whole = aTree(t, files)
      const cut = await killedWhen(() => aTree(t, files), isNow)

      const seen = [...Object.values(cut.all()), ...Object.values(cut.backups())]
      for (const [path, text] of Object.entries(files)) assert.ok(seen.includes(text), path)
      for (const tree of [cut, whole]) await ask(tree.where, 'migrate', '--from', 'v1', '.', '--apply')

      assert.deepEqual(handoffs(cut), handoffs(whole))
      assert.ok(Object.keys(cut.all()).every((path) => path.startsWith('_handoffs/')))
    })

  it('stops before it removes anything when a file has changed since it was read', async (t) => {
    const [a, b] = ['a/handoff-a-claude-20260221.md', 'b/handoff-b-claude-20260221.md']
    const tree = aTree(t, { [a]: v1Text({ updated: '2026-02-22' }), [b]: v1Text() })
    const plan = planMigration(scan(tree.root), { now: '2026-03-01T00:00:00Z', index: undefined })
    const changed = v1Text({ updated: '2026-02-24', title: 'Written meanwhile' })
    tree.write(b, changed)

    await assert.rejects(applyMigration(plan, tree.path('backup')), { code: 'conflict' })
    assert.equal(tree.read(a), v1Text({ updated: '2026-02-22' }))
    assert.equal(tree.read(b), changed)
    await ask(tree.where, 'migrate', '--from', 'v1', '.', '--apply')

    const { '_handoffs/_index.yaml': _, ...after } = tree.all()
    assert.deepEqual(Object.keys(after), ['_handoffs/active/handoff-grok-claude-BPRD-2026-0042-20260221.md'])
    assert.match(Object.values(after)[0]!, /Written meanwhile/)
  })
})

/** Where each is and what it says; which of two equal copies it was made of does not matter. */
const handoffs = (tree: Tree): Record<string, string> =>
  Object.fromEntries(
    Object.entries(tree.all()).map(([path, text]) => [path, text.replace(/^last_updated: .*$/m, '')]),
  )

/** A tree at that moment. It lasts milliseconds, and on a busy machine it may be over before it is seen: then again. */
async function killedWhen(make: () => Tree, isNow: (root: string) => boolean): Promise<Tree> {
  for (let tries = 20; tries > 0; tries -= 1) {
    const tree = make()
    const { root } = tree
    const child = spawn(process.execPath, [BATON, 'migrate', '--from', 'v1', '.', '--apply'], {
      cwd: root,
      env: cleanEnv({ cwd: root }),
      stdio: 'ignore',
    })
    const ended = new Promise<void>((done) => child.once('exit', () => done()))
    while (child.exitCode === null && !isNow(root)) await pause(1)
    child.kill('SIGKILL')
    await ended
    if (isNow(root)) return tree
  }
  return assert.fail('it never came so far')
}
